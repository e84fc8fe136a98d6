// The edge of lib/libpreon_observers.so, which programs with ONNX Runtime load.
#include <cstdio>

#include "base/text.h"
#include "instrument/served_model.h"
#include "runtime/host_runtime.h"
#include "runtime/served/plugin.h"

namespace {

void PrintLine(std::string_view line) {
  std::fprintf(stderr, "preon: %s\n", preon::Printable(line).c_str());  // the host's log holds no lines of a model's
}

preon::Result<std::unique_ptr<preon::ServedModel>> Open(const preon::ServedSource& source) {
  return preon::OpenInstrumented(source, &PrintLine);
}

}  // namespace

// The library is not linked with a runtime: the host's is handed over below.
extern "C" const OrtApiBase* OrtGetApiBase() noexcept { return preon::NoRuntimeYet(); }

extern "C" __attribute__((visibility("default"))) OrtStatus* RegisterCustomOps(OrtSessionOptions* options,
                                                                               const OrtApiBase* runtime) {
  return preon::RegisterServedModels(options, runtime, &Open);
}
