// Opening a session: options, error words, what the model's inputs and outputs are.
#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>

#include "base/tensor_spec.h"
#include "onnxruntime_session_options_config_keys.h"
#include "runtime/custom_op_libraries.h"
#include "runtime/host_options.h"
#include "runtime/ort_values.h"
#include "runtime/providers.h"
#include "runtime/session_impl.h"

namespace preon {
namespace {

// The process's, as the runtime's environment is.
std::atomic<AddOperators> add_operators = nullptr;

GraphOptimizationLevel ToOrt(Optimization optimization) {
  switch (optimization) {
    case Optimization::kOff:
      return ORT_DISABLE_ALL;
    case Optimization::kBasic:
      return ORT_ENABLE_BASIC;
    case Optimization::kExtended:
      return ORT_ENABLE_EXTENDED;
    case Optimization::kAll:
      break;
  }
  return ORT_ENABLE_ALL;
}

Ort::SessionOptions OwnOptions(const SessionOptions& options) {
  Ort::SessionOptions ort;
  ort.SetIntraOpNumThreads(std::max(options.threads, 1));
  ort.SetInterOpNumThreads(1);
  ort.SetLogSeverityLevel(ORT_LOGGING_LEVEL_FATAL);
  ort.EnableCpuMemArena().EnableMemPattern();
  ort.AddConfigEntry(kOrtSessionOptionsConfigUseEnvAllocators, "1");
  ort.AddConfigEntry(kOrtSessionOptionsConfigAllowIntraOpSpinning, "1");
  ort.AddConfigEntry(kOrtSessionOptionsConfigForceSpinningStop, options.spin_between_runs ? "0" : "1");
  return ort;
}

// Files that the host asks its own session for are not written twice.
Ort::SessionOptions HostsOptions(const HostOptions& host) {
  Ort::SessionOptions ort = host.options.Clone();
  ort.DisableProfiling().SetOptimizedModelFilePath("");
  return ort;
}

Ort::SessionOptions ToOrt(const SessionOptions& options, const SessionExtras& extras) {
  Ort::SessionOptions ort = options.host ? HostsOptions(*options.host) : OwnOptions(options);
  // Observers find their run by its thread.
  ort.SetExecutionMode(ORT_SEQUENTIAL);
  ort.SetGraphOptimizationLevel(ToOrt(options.optimization));
  if (!options.save_optimized_to.empty()) ort.SetOptimizedModelFilePath(options.save_optimized_to.c_str());
  for (const auto& [key, value] : extras.config) ort.AddConfigEntry(key.c_str(), value.c_str());
  AppendProvider(extras.provider, ort);
  if (extras.custom_ops != nullptr) ort.Add(extras.custom_ops);
  if (extras.libraries != nullptr) extras.libraries->RegisterIn(ort);
  if (const AddOperators add = add_operators; add != nullptr && !options.host) add(ort);
  std::vector<std::string> names;
  std::vector<Ort::Value> values;
  for (const NamedTensor& weight : extras.weights) {
    names.push_back(weight.name);
    values.push_back(BorrowAsValue(weight.tensor));
  }
  if (!names.empty()) ort.AddExternalInitializers(names, values);
  return ort;
}

std::string_view KindName(ONNXType kind) {
  switch (kind) {
    case ONNX_TYPE_SEQUENCE:
      return "a sequence";
    case ONNX_TYPE_OPTIONAL:
      return "an optional";
    case ONNX_TYPE_MAP:
      return "a map";
    case ONNX_TYPE_SPARSETENSOR:
      return "a sparse tensor";
    default:
      return "of an unknown kind";
  }
}

Result<TensorSpec> ReadSpec(std::string name, const Ort::TypeInfo& type, std::string_view direction) {
  if (type.GetONNXType() != ONNX_TYPE_TENSOR) {
    Status unsupported = Error(ErrorId::kModelTypeUnsupported, direction, " '", name, "' is ",
                               KindName(type.GetONNXType()), "; wanted a tensor");
    if (type.GetONNXType() != ONNX_TYPE_SEQUENCE) return unsupported;
    return std::move(unsupported).WithHint("skl2onnx gives classifiers a tensor instead with zipmap=False");
  }
  const auto info = type.GetTensorTypeAndShapeInfo();
  return TensorSpec{std::move(name), static_cast<DataType>(info.GetElementType()), info.GetShape()};
}

// The runtime learns domains of operators from the first session that has them, and not safely from several threads.
class FirstOpening {
 public:
  FirstOpening(const SessionOptions& options, const SessionExtras& extras)
      : adds_{add_operators != nullptr && !options.host, extras.custom_ops != nullptr} {
    for (size_t kind = 0; kind < adds_.size(); ++kind) {
      if (adds_[kind] && !known[kind] && !lock_) lock_ = std::unique_lock(opening);
    }
  }
  void Done() const {
    for (size_t kind = 0; kind < adds_.size(); ++kind)
      if (adds_[kind]) known[kind] = true;
  }

 private:
  static inline std::mutex opening;
  static inline std::array<std::atomic<bool>, 2> known{};  // UseOperators's, and SessionExtras::custom_ops
  const std::array<bool, 2> adds_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace

void UseOperators(AddOperators add) { add_operators = add; }

// Here, as the plugins have this file and not what opens libraries.
void CustomOpLibraries::RegisterIn(OrtSessionOptions* options) const {
  for (const CustomOpLibrary& library : libraries_) {
    try {
      Ort::ThrowOnError(library.add(options, OrtGetApiBase()));
    } catch (const Ort::Exception&) {
      throw;
    } catch (const std::exception& error) {
      throw Ort::Exception(StrCat(library.path, ": ", error.what()), ORT_FAIL);
    }
  }
}

Status Session::Impl::ReadSpecs() {
  Ort::AllocatorWithDefaultOptions allocator;
  for (size_t input = 0; input < session.GetInputCount(); ++input) {
    PREON_ASSIGN_OR_RETURN(TensorSpec spec, ReadSpec(session.GetInputNameAllocated(input, allocator).get(),
                                                     session.GetInputTypeInfo(input), "input"));
    inputs.push_back(std::move(spec));
  }
  for (size_t output = 0; output < session.GetOutputCount(); ++output) {
    PREON_ASSIGN_OR_RETURN(TensorSpec spec, ReadSpec(session.GetOutputNameAllocated(output, allocator).get(),
                                                     session.GetOutputTypeInfo(output), "output"));
    outputs.push_back(std::move(spec));
  }
  return Status::Ok();
}

Result<Session> Session::Impl::Open(const ModelSource& source, const SessionOptions& options,
                                    const SessionExtras& extras) {
  auto impl = std::make_unique<Impl>();
  impl->name = source.path.empty() ? "model" : source.path;
  impl->settled = options.host != nullptr;  // its memory is the host's affair; it may have no arena
  Status specs_read;
  PREON_RETURN_IF_ERROR(GuardOrt(
      ErrorId::kRuntimeLoad,
      [&] {
        const Ort::SessionOptions ort_options = ToOrt(options, extras);
        const FirstOpening first(options, extras);
        impl->session = source.bytes.empty()
                            ? Ort::Session(SharedOrtEnv(), source.path.c_str(), ort_options)
                            : Ort::Session(SharedOrtEnv(), source.bytes.data(), source.bytes.size(), ort_options);
        first.Done();
        specs_read = impl->ReadSpecs();
      },
      impl->name, ": the runtime can't load it: "));
  if (!specs_read.ok()) return std::move(specs_read).WithContext(impl->name);
  return Session(std::move(impl));
}

}  // namespace preon
