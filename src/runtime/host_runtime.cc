#include "runtime/host_runtime.h"

#include "onnxruntime_cxx_api.h"

namespace preon {
namespace {

bool has_host = false;

const OrtApi* ORT_API_CALL NoApi(uint32_t) noexcept { return nullptr; }
const char* ORT_API_CALL NoVersion() noexcept { return ""; }

}  // namespace

const OrtApiBase* NoRuntimeYet() {
  static constexpr OrtApiBase kNone{NoApi, NoVersion};
  return &kNone;
}

void UseRuntimeOfHost(const OrtApi* api) {
  Ort::Global<void>::api_ = api;
  has_host = true;
}

bool HasRuntimeOfHost() { return has_host; }

}  // namespace preon
