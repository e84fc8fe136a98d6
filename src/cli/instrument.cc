#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command InstrumentCommand() {
  return {
      .verb = kVerbInstrument,
      .name = "instrument",
      .summary = "add observers to a model: it then collects a .calib file wherever ONNX Runtime serves it",
      .positionals = {"MODEL"},
      .examples = R"(  preon instrument model.onnx -o model.instrumented.onnx
  preon instrument model.onnx -o model.instrumented.onnx --calib-out /var/lib/calib/model-%p.calib --every 5k
A program that registers lib/libpreon_observers.so with its session options and serves the model writes .calib files;
'preon merge' merges the files of several processes. The same model serves on all machines: it is optimized there.
The environment variables PREON_CALIB_OUT, PREON_CALIB_EVERY and PREON_CALIB_ONE_IN override --calib-out, --every and
--one-in. --data is used only to check the model.
)",
      .run = [](const std::vector<std::string>& args, RunInputs& run) { return Render(InstrumentVerb(args[0], run)); }};
}

}  // namespace preon::cli
