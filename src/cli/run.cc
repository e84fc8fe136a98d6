#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command RunCommand() {
  return {.verb = kVerbRun,
          .name = "run",
          .summary = "run a model: latency, throughput, peak memory",
          .positionals = {"MODEL"},
          .examples = R"(  preon run model.onnx --data calib.npz --batch 8 --threads 1
  preon run model.onnx --data calib.npz --save outputs/
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(RunVerb(args[0], run), run.options.given.origins);
          }};
}

}  // namespace preon::cli
