#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command InstrumentCommand() {
  return {.verb = kVerbInstrument,
          .name = "instrument",
          .summary = "add observers to a model: it then collects a .calib file wherever ONNX Runtime serves it",
          .positionals = {"MODEL"},
          .examples = R"(  preon instrument model.onnx -o model.instrumented.onnx
  preon instrument model.onnx -o model.instrumented.onnx --every 5k
A program that registers lib/libpreon_observers.so with its session options and serves the model writes .calib files
into the folder that its environment variable PREON_CALIB_OUT names (or its session option preon.calib_out); without
either it collects nothing. 'preon merge' merges the files of several processes. The same model serves on all machines:
it is optimized there. PREON_CALIB_EVERY and PREON_CALIB_ONE_IN override --every and --one-in. --data is used only to
check the model.
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) {
            return Render(InstrumentVerb(args[0], run), run.options.given.origins);
          }};
}

}  // namespace preon::cli
