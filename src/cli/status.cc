#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command StatusCommand() {
  return {.name = "status",
          .summary = "show which shards of a run are done, missing, failed or stale",
          .positionals = {"FILE"},
          .examples = R"(  preon status run.json
  preon status run.json --json
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(StatusVerb(args[0], run.context), run.options.given.origins);
          }};
}

}  // namespace preon::cli
