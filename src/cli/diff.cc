#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command DiffCommand() {
  return {.verb = kVerbDiff,
          .name = "diff",
          .summary = "what differs between two models, float or quantized: graph, scales, codes, outputs",
          .positionals = {"A", "B"},
          .examples = R"(  preon diff model.onnx model.int8.onnx
  preon diff minmax.onnx minmse.onnx --data test.npz --json
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(DiffVerb(args[0], args[1], run), run.options.given.origins);
          }};
}

}  // namespace preon::cli
