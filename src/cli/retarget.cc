#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command RetargetCommand() {
  return {.verb = kVerbRetarget,
          .name = "retarget",
          .summary = "give a quantized model, of any tool, another form with the same codes",
          .positionals = {"QUANTIZED"},
          .examples = R"(  preon retarget model.int8.onnx -o for_cpu.onnx --target ort-cpu
  preon retarget model.int8.onnx -o signed.onnx --activation int8
  preon retarget qlinear.onnx -o pairs.onnx --format qdq --opset 21 --data test.npz
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(RetargetVerb(args[0], run), run.options.given.origins);
          }};
}

}  // namespace preon::cli
