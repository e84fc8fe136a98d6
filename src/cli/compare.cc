#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command CompareCommand() {
  return {.verb = kVerbCompare,
          .name = "compare",
          .summary = "compare two models: error, agreement, accuracy, latency",
          .positionals = {"FLOAT", "QUANTIZED"},
          .examples = R"(  preon compare model.onnx model.int8.onnx --data test.npz
  preon compare model.onnx model.int8.onnx --data photos/ --preprocess imagenet --labels labels.tsv --json
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(CompareVerb(args[0], args[1], run), run.options.given.origins);
          }};
}

}  // namespace preon::cli
