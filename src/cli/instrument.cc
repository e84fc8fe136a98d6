#include "api/verbs.h"
#include "cli/render.h"

namespace preon::cli {

Command InstrumentCommand() {
  return {.verb = kVerbInstrument,
          .name = "instrument",
          .summary = "the model with observers: collects a .calib file wherever ONNX Runtime serves it",
          .positionals = {"MODEL"},
          .examples = R"(  preon instrument model.onnx -o model.instrumented.onnx
  preon instrument model.onnx -o model.instrumented.onnx --calib-out /var/lib/calib/model-%p.calib --every 5k
Served by a program that has registered lib/libpreon_observers.so with its session options, the model writes such files;
'preon merge' puts those of several processes together. One form fits all machines: it is optimized where it is served.
PREON_CALIB_OUT, PREON_CALIB_EVERY and PREON_CALIB_ONE_IN in the environment go over --calib-out, --every and --one-in. --data only serves to check the model.
)",
          .run = [](const std::vector<std::string>& args, RunInputs& run) { return Render(InstrumentVerb(args[0], run)); }};
}

}  // namespace preon::cli
