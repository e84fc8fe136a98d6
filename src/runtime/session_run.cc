// What a session does once it is open, and the runtime as such.
#include <algorithm>

#include "onnxruntime_run_options_config_keys.h"
#include "runtime/ort_values.h"
#include "runtime/session_feeds.h"
#include "runtime/session_impl.h"

namespace preon {

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::OpenFile(const std::string& path, const SessionOptions& options, const RunContext& context) {
  return Impl::Open({path, {}}, options, {.libraries = context.custom_ops, .provider = context.provider()});
}

Result<Session> Session::OpenBytes(std::string_view bytes, const SessionOptions& options) {
  if (bytes.empty()) return Error(ErrorId::kRuntimeLoad, "model: the runtime can't load it: it has 0 bytes");
  return Impl::Open({"", bytes}, options, {});
}

const std::vector<TensorSpec>& Session::inputs() const { return impl_->inputs; }
const std::vector<TensorSpec>& Session::outputs() const { return impl_->outputs; }

Result<std::vector<NamedTensor>> Session::Run(const std::vector<NamedTensor>& feeds, const RunContext& context,
                                              const std::vector<std::string>& wanted) {
  PREON_RETURN_IF_ERROR(context.CheckCancelled());
  PREON_ASSIGN_OR_RETURN(const std::vector<const Tensor*> matched, MatchFeeds(impl_->inputs, feeds));

  std::vector<const char*> input_names, output_names;
  for (const TensorSpec& spec : impl_->inputs) input_names.push_back(spec.name.c_str());
  for (const std::string& name : wanted) output_names.push_back(name.c_str());
  if (wanted.empty()) {
    for (const TensorSpec& spec : impl_->outputs) output_names.push_back(spec.name.c_str());
  }

  std::vector<Ort::Value> values;
  Status run = GuardOrt(
      ErrorId::kRuntimeRun,
      [&] {
        std::vector<Ort::Value> inputs;
        for (const Tensor* tensor : matched) inputs.push_back(BorrowAsValue(*tensor));
        Ort::RunOptions options;
        // The first run allocates tensor by tensor while the runtime learns the pattern; the others use one block.
        if (!impl_->settled) options.AddConfigEntry(kOrtRunOptionsConfigEnableMemoryArenaShrinkage, "cpu:0");
        const CancelWatcher::Scope watch(*impl_->cancel_watcher, options, context.cancel);
        values = impl_->session.Run(options, input_names.data(), inputs.data(), inputs.size(), output_names.data(),
                                    output_names.size());
        impl_->settled = true;
      },
      impl_->name, ": the runtime failed: ");
  PREON_RETURN_IF_ERROR(context.CheckCancelled());  // else the runtime's words for a run that was told to end
  PREON_RETURN_IF_ERROR(std::move(run));

  std::vector<NamedTensor> outputs;
  for (size_t output = 0; output < values.size(); ++output) {
    Result<Tensor> tensor = Tensor();
    PREON_RETURN_IF_ERROR(GuardOrt(
        ErrorId::kRuntimeRun, [&] { tensor = TakeTensorOfValue(std::move(values[output])); }, impl_->name, ": output '",
        output_names[output], "': "));
    if (!tensor.ok())
      return std::move(tensor).status().WithContext(impl_->name, ": output '", output_names[output], "'");
    // An output that is an input has the feed's bytes, which the runtime does not keep alive.
    const auto feed = std::ranges::find_if(
        matched, [&](const Tensor* fed) { return fed->count() > 0 && fed->bytes().data() == tensor->bytes().data(); });
    outputs.push_back({output_names[output], feed == matched.end() ? std::move(tensor).value() : **feed});
  }
  return outputs;
}

void StartRuntime() {
  static_cast<void>(GuardOrt(ErrorId::kRuntimeLoad, [] { SharedOrtEnv(); }));  // the first session reports the error
}

std::string RuntimeVersion() { return OrtGetApiBase()->GetVersionString(); }

}  // namespace preon
