#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command CalibrateCommand() {
  return {.verb = kVerbCalibrate,
          .name = "calibrate",
          .summary = "collect the statistics for every method in one pass over the samples",
          .positionals = {"MODEL"},
          .examples = R"(  preon calibrate model.onnx -o model.calib --data calib.npz
  preon calibrate model.onnx -o model.calib --data photos/ --preprocess imagenet --workers 4 --resume
  preon calibrate model.onnx -o part1.calib --data photos/ --preprocess imagenet --shard 1/4
  preon calibrate model.onnx -o model.calib --data photos/ --preprocess imagenet --per-sample
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(CalibrateVerb(args[0], run), run.options.given.origins);
          }};
}

}  // namespace preon::cli
