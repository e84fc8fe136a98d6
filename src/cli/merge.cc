#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command MergeCommand() {
  return {.verb = kVerbMerge,
          .name = "merge",
          .summary = "merge the statistics of several runs: equal to one run over all their samples",
          .positionals = {"FILE..."},
          .examples = R"(  preon merge part1.calib part2.calib part3.calib part4.calib -o model.calib
  preon merge run.json -o model.calib               all shards of a run, or an error that names those that are not done
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(MergeVerb(args, run), run.options.given.origins);
          }};
}

}  // namespace preon::cli
