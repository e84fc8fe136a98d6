#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command ExportQatCommand() {
  return {.verb = kVerbExportQat,
          .name = "export-qat",
          .summary =
              "write what training needs to continue from a quantized model: float graph, scales, a loader for PyTorch",
          .positionals = {"QUANTIZED"},
          .examples = R"(  preon export-qat model.int8.onnx -o training --float-model model.onnx
  python train.py         # import fake_quant from the folder 'training'
  preon quantize trained/model.onnx --encodings trained/encodings.json -o trained.int8.onnx --data test.npz
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(ExportQatVerb(args[0], run), run.options.given.origins);
          }};
}

}  // namespace preon::cli
