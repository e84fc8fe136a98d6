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
          .run = [](const std::vector<std::string>& args, RunInputs& run) -> Result<Answer> {
            const auto result = InspectVerb(args[0], run.context);
            if (!result.ok()) return result.status();
            return std::visit([](const auto& summary) { return Answer{ToText(summary), ToJson(summary)}; }, *result);
          }};
}

}  // namespace preon::cli
