#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command DoctorCommand() {
  return {.verb = kVerbDoctor,
          .name = "doctor",
          .summary = "versions, CPU features, kernels, threads; methods, targets, passes and keys of this version",
          .positionals = {},
          .examples = R"(  preon doctor --json
)",
          .run = [](const std::vector<std::string>&, RunInputs& run) {
            return Render(DoctorVerb(run), run.options.given.origins);
          }};
}

}  // namespace preon::cli
