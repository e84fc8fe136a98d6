#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command SensitivityCommand() {
  return {.verb = kVerbSensitivity,
          .name = "sensitivity",
          .summary = "show which layers cause the error of the quantized model, why, and what float layers gain",
          .positionals = {"MODEL"},
          .examples = R"(  preon sensitivity model.onnx --data calib.npz
  preon sensitivity model.onnx --data photos/ --preprocess imagenet --confirm 10
  preon sensitivity model.onnx --data calib.npz --method minmax --budget 10 --json
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(SensitivityVerb(args[0], run), run.options.given.origins);
          }};
}

}  // namespace preon::cli
