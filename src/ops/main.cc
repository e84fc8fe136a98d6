// The edge of lib/libpreon_ops.so, which programs with ONNX Runtime load.
#include "ops/register_ops.h"
#include "runtime/host_runtime.h"

// The library is not linked with a runtime: the host's is handed over below.
extern "C" const OrtApiBase* OrtGetApiBase() noexcept { return preon::NoRuntimeYet(); }

extern "C" __attribute__((visibility("default"))) OrtStatus* RegisterCustomOps(OrtSessionOptions* options,
                                                                               const OrtApiBase* runtime) {
  return preon::RegisterQuarkOps(options, runtime);
}

extern "C" __attribute__((visibility("default"))) OrtStatus* RegisterCustomOpsAltName(OrtSessionOptions* options,
                                                                                      const OrtApiBase* runtime) {
  return preon::RegisterQuarkOps(options, runtime);
}
