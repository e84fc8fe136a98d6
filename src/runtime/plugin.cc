#include "runtime/plugin.h"

#include <algorithm>
#include <memory>

#include "runtime/op_tools.h"
#include "runtime/served_op.h"

namespace preon {
namespace {

// The runtime never says when it is done with them.
struct Registration {
  Registration(OpenServedModel open, OrtSessionOptions* options)
      : op(open, std::make_shared<HostOptions>(HostOptions{Ort::UnownedSessionOptions(options).Clone()})),
        domain(kInstrumentDomain) {
    domain.Add(&op);
  }
  ServedOp op;
  Ort::CustomOpDomain domain;
};

// In the oldest words that the host understands.
OrtStatus* TooOld(const OrtApiBase* runtime) {
  const std::string message = StrCat("preon: the observer library wants ONNX Runtime 1.", ORT_API_VERSION,
                                     " or later, got ", runtime->GetVersionString());
  return runtime->GetApi(1)->CreateStatus(ORT_NOT_IMPLEMENTED, message.c_str());
}

}  // namespace

OrtStatus* RegisterServedModels(OrtSessionOptions* options, const OrtApiBase* runtime, OpenServedModel open) {
  const OrtApi* api = runtime->GetApi(ORT_API_VERSION);
  if (api == nullptr) return TooOld(runtime);
  UseRuntimeOfHost(api);
  return AsOrtStatus([&] {
    auto registration = std::make_unique<Registration>(open, options);
    Ort::UnownedSessionOptions(options).Add(registration.release()->domain);
  });
}

}  // namespace preon
