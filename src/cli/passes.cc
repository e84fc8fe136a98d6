#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command PassesCommand() {
  return {.verb = kVerbPasses,
          .name = "passes",
          .summary = "rewrite a float or quantized model by passes that are chosen by name",
          .positionals = {"MODEL"},
          .examples = R"(  preon passes model.onnx -o folded.onnx --pass fold_batch_norm --pass fold_constants
  preon passes model.onnx -o fixed.onnx --pass fix_shapes --fix-shape input=1x3x224x224
  preon passes int8.onnx -o nhwc.onnx --pass to_nhwc
  preon passes model.onnx -o out.onnx --list passes.txt        one name per line
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(PassesVerb(args[0], run), run.options.given.origins);
          }};
}

}  // namespace preon::cli
