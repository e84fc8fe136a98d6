#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command InspectCommand() {
  return {.verb = kVerbInspect,
          .name = "inspect",
          .summary = "show what a model or a .calib file contains",
          .positionals = {"FILE"},
          .examples = R"(  preon inspect model.onnx
  preon inspect model.calib --json
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(InspectVerb(args[0], run.context), run.options.given.origins);
          }};
}

}  // namespace preon::cli
