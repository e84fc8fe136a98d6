#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command DoctorCommand() {
  return {.verb = kVerbDoctor,
          .name = "doctor",
          .summary = "versions, CPU features, kernels chosen, threads, what there is to choose from",
          .positionals = {},
          .examples = R"(  preon doctor --json
)",
          .run = [](const std::vector<std::string>&, RunInputs& run) { return Render(DoctorVerb(run)); }};
}

}  // namespace preon::cli
