#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command RangesCommand() {
  return {.verb = kVerbRanges,
          .name = "ranges",
          .summary = "show the ranges that a method gives, from a .calib file or from a model and --data",
          .positionals = {"FILE"},
          .examples = R"(  preon ranges model.calib --method minmax
  preon ranges model.calib --all-methods -o ranges.json
  preon ranges model.onnx --data calib.npz --method percentile --compat quark
  preon ranges model.calib --method percentile --method-option Percentile=99.9 -o ranges.json
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(RangesVerb(args[0], run), run.options.given.origins);
          }};
}

}  // namespace preon::cli
