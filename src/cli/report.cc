#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command ReportCommand() {
  return {.verb = kVerbReport,
          .name = "report",
          .summary = "write one page about a quantized model, the statistics in a .calib file or a result in JSON",
          .positionals = {"MODEL..."},
          .examples = R"(  preon report model.onnx -o report.html --data calib.npz
  preon report model.onnx model.int8.onnx -o report.html --data calib.npz --eval-data test.npz
  preon report model.onnx -o report.html --data photos/ --preprocess imagenet --method minmax
  preon report model.onnx --data calib.npz --json
  preon report model.calib -o report.html
  preon report result.json -o report.html
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(ReportVerb(args, run), run.options.given.origins);
          }};
}

}  // namespace preon::cli
