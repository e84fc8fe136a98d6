#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command SearchCommand() {
  return {.verb = kVerbSearch,
          .name = "search",
          .summary = "try configurations of a space and write the best model; continues a search that was stopped",
          .positionals = {"MODEL"},
          .examples = R"(  preon search model.onnx --data calib.npz --space space.yaml -o model.int8.onnx
  preon search model.onnx --data calib.npz --space space.yaml -o model.int8.onnx --time 5m --study model.study
  preon search model.onnx --data calib.npz --space space.yaml -o small.onnx --goal size --require "sqnr>=20"
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(SearchVerb(args[0], run), run.options.given.origins);
          }};
}

}  // namespace preon::cli
