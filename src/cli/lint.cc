#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command LintCommand() {
  return {.verb = kVerbLint,
          .name = "lint",
          .summary = "say why a quantized model, of any tool, is slow; fix what can be fixed",
          .positionals = {"QUANTIZED"},
          .examples = R"(  preon lint model.int8.onnx
  preon lint model.int8.onnx --fix -o faster.onnx
  preon lint model.int8.onnx --fix -o faster.onnx --data test.npz --json
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(LintVerb(args[0], run), run.options.given.origins);
          }};
}

}  // namespace preon::cli
