#include "runtime/served/served_session.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/output/atomic_file.h"
#include "base/output/temp_dir.h"
#include "base/tensor_spec.h"
#include "ir/node_editor.h"
#include "runtime/channel_block.h"
#include "runtime/observe_domain.h"
#include "runtime/observed_adds.h"
#include "runtime/observer_graph.h"
#include "runtime/optimizer_config.h"
#include "runtime/session_impl.h"

namespace preon {
namespace {

Result<int64_t> ServedChannelBlock(std::string_view block_model, const RunContext& context) {
  PREON_ASSIGN_OR_RETURN(Session session, Session::OpenBytes(block_model, {.optimization = Optimization::kOff}));
  return ChannelBlockOf(session, context);
}

/// Observers of the optimized graph in the path of their tensors, as ObservedSession has them.
Result<std::string> ObserveOptimized(std::string_view optimized, size_t tensors, std::string_view block_model,
                                     const RunContext& context) {
  PREON_ASSIGN_OR_RETURN(NodeEditor editor, NodeEditor::Parse(optimized));
  Model& model = editor.model();
  int64_t block = 1;
  if (HasBlockedMarker(model)) {
    PREON_ASSIGN_OR_RETURN(block, ServedChannelBlock(block_model, context));
  }
  PREON_RETURN_IF_ERROR(ReplaceMarkers(model, tensors, block).status());
  FuseObservedAdds(model.graph);
  PREON_RETURN_IF_ERROR(model.graph.SortTopologically());
  return editor.Serialize();
}

/// The same in the graph that was not optimized.
Result<std::string> ObserveAsItIs(std::string_view marked, size_t tensors) {
  PREON_ASSIGN_OR_RETURN(NodeEditor editor, NodeEditor::Parse(marked));
  PREON_RETURN_IF_ERROR(ReplaceMarkers(editor.model(), tensors, /*block=*/1).status());
  PREON_RETURN_IF_ERROR(editor.model().graph.SortTopologically());
  return editor.Serialize();
}

}  // namespace

struct ServedSession::Impl {
  Impl(TensorObserver* observer, int threads, size_t tensors) : domain(observer, threads, tensors) {}

  Status OpenOptimized(std::string_view marked, std::string_view block_model, const ServedSessionOptions& options,
                       const RunContext& context);

  ObserveDomain domain;  // outlives the session
  std::optional<Session> session;
};

Status ServedSession::Impl::OpenOptimized(std::string_view marked, std::string_view block_model,
                                          const ServedSessionOptions& options, const RunContext& context) {
  PREON_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Create(context.TempDir()));
  const std::string optimized = folder.File("optimized.onnx"), observed = folder.File("observed.onnx");
  {
    const SessionOptions optimizer{.optimization = Optimization::kAll, .save_optimized_to = optimized};
    const SessionExtras extras{.custom_ops = domain.domain,
                               .libraries = context.custom_ops,
                               .config = OptimizerConfig(options.weights_beside)};
    PREON_RETURN_IF_ERROR(Session::Impl::Open({"", marked}, optimizer, extras).status());
  }
  {
    PREON_ASSIGN_OR_RETURN(const MappedFile file, MapFile(optimized));
    const std::string_view bytes(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
    PREON_ASSIGN_OR_RETURN(const std::string in_path, ObserveOptimized(bytes, options.tensors, block_model, context));
    PREON_RETURN_IF_ERROR(WriteFileAtomically(observed, in_path));  // beside the weights
  }
  SessionOptions as_it_is = options.session;
  as_it_is.optimization = Optimization::kOff;
  PREON_ASSIGN_OR_RETURN(session, Session::Impl::Open({observed, {}}, as_it_is,
                                                      {.custom_ops = domain.domain, .libraries = context.custom_ops}));
  return Status::Ok();
}

ServedSession::ServedSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ServedSession::ServedSession(ServedSession&&) noexcept = default;
ServedSession& ServedSession::operator=(ServedSession&&) noexcept = default;
ServedSession::~ServedSession() = default;

Result<ServedSession> ServedSession::Open(std::string_view model, std::string_view block_model,
                                          const ServedSessionOptions& options, TensorObserver* observer,
                                          const RunContext& context) {
  auto impl = std::make_unique<Impl>(observer, std::max(options.session.threads, 1), options.tensors);
  std::string in_path;
  if (options.observers == PackedObservers::kOnTheSide) {
    const Status opened = impl->OpenOptimized(model, block_model, options, context);
    if (opened.ok()) return ServedSession(std::move(impl));
    context.Log(LogLevel::kWarning,
                StrCat("observers are put into the float graph, which is slower: ", opened.ToString()));
    PREON_ASSIGN_OR_RETURN(in_path, ObserveAsItIs(model, options.tensors));
    model = in_path;
  }
  SessionOptions session = options.session;
  session.optimization = options.optimize ? Optimization::kAll : Optimization::kOff;
  PREON_ASSIGN_OR_RETURN(
      impl->session,
      Session::Impl::Open({"", model}, session, {.custom_ops = impl->domain.domain, .libraries = context.custom_ops}));
  return ServedSession(std::move(impl));
}

const std::vector<TensorSpec>& ServedSession::inputs() const { return impl_->session->inputs(); }

Result<std::vector<NamedTensor>> ServedSession::Run(const std::vector<NamedTensor>& feeds, const RunContext& context,
                                                    const std::vector<std::string>& wanted) {
  return impl_->session->Run(feeds, context, wanted);
}

}  // namespace preon
