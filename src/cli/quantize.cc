#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command QuantizeCommand() {
  return {.verb = kVerbQuantize,
          .name = "quantize",
          .summary = "quantize a float model with calibration samples and verify the result",
          .positionals = {"MODEL"},
          .examples = R"(  preon quantize model.onnx -o model.int8.onnx --data calib.npz
  preon quantize model.onnx -o out.onnx --data photos/ --preprocess imagenet --samples 100
  preon quantize model.onnx -o out.onnx --calib model.calib --method percentile --method-option Percentile=99.99
  preon quantize bert.onnx -o out.onnx --data calib.npz --exclude "/encoder/layer.11/*" --report out.json
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(QuantizeVerb(args[0], run), run.options.given.origins);
          }};
}

}  // namespace preon::cli
