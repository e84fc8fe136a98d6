#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command MergeCommand() {
  return {.verb = kVerbMerge,
          .name = "merge",
          .summary = "merge the statistics of several runs: equal to one run over all their samples",
          .positionals = {"FILE..."},
          .examples = R"(  preon merge part1.calib part2.calib part3.calib part4.calib -o model.calib
)",
          .run = [](const std::vector<std::string>& args, Job& job) { return Render(MergeVerb(args, job)); }};
}

}  // namespace preon::cli
