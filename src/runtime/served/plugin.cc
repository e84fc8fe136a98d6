#include "runtime/served/plugin.h"

#include <memory>

#include "runtime/host_options.h"
#include "runtime/op_tools.h"
#include "runtime/served/served_op.h"

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

}  // namespace

std::string HostSetting(const HostOptions& host, const char* key) {
  return host.options.HasConfigEntry(key) ? host.options.GetConfigEntry(key) : "";
}

OrtStatus* RegisterServedModels(OrtSessionOptions* options, const OrtApiBase* runtime, OpenServedModel open) {
  if (OrtStatus* failure = TakeOverRuntime(runtime, "observer")) return failure;
  return AsOrtStatus([&] {
    auto registration = std::make_unique<Registration>(open, options);
    Ort::UnownedSessionOptions(options).Add(registration.release()->domain);
  });
}

}  // namespace preon
