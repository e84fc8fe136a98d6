#include "runtime/observed_session.h"

#include "base/file.h"
#include "base/system.h"
#include "ir/model_io.h"
#include "onnxruntime_session_options_config_keys.h"
#include "runtime/channel_block.h"
#include "runtime/observe_op.h"
#include "runtime/observer_graph.h"
#include "runtime/session_impl.h"

namespace preon {
namespace {

Status CheckTensors(const Graph& graph, const std::vector<std::string>& tensors) {
  for (const std::string& tensor : tensors) {
    if (graph.Producer(tensor) == nullptr && !graph.IsInput(tensor)) {
      return Error(ErrorId::kNameNotInModel, "no node of the model writes tensor '", tensor, "' and it is no input");
    }
    const DataType type = graph.TypeOf(tensor);
    if (type != DataType::kFloat && type != DataType::kUndefined) {
      return Error(ErrorId::kModelTypeUnsupported, "tensor '", tensor, "' is ", DataTypeName(type), "; only float can be observed");
    }
  }
  return Status::Ok();
}

/// The operator in its domain, as a session wants it.
struct ObserveDomain {
  explicit ObserveDomain(TensorObserver* observer) : op(observer), domain(kObserveDomain) { domain.Add(&op); }
  ObserveOp op;
  Ort::CustomOpDomain domain;
};

/// The model as the runtime optimizes it, with a marker on each tensor.
Result<Model> OptimizeMarked(const Model& model, const std::vector<std::string>& tensors, const ObserveDomain& domain,
                             const RunContext& context) {
  Model marked = model;
  AddMarkers(marked, tensors);
  PREON_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Create(context.TempDir()));
  const SessionOptions options{.optimization = Optimization::kAll, .save_optimized_to = folder.File("optimized.onnx")};
  const SessionExtras extras{.custom_ops = domain.domain,
                             // Nothing is run here: packed weights would only cost time and memory.
                             .config = {{kOrtSessionOptionsConfigDisablePrepacking, "1"},
                                        {kOrtSessionOptionsOptimizedModelExternalInitializersFileName, "optimized.data"}}};
  {
    PREON_ASSIGN_OR_RETURN(const Session optimizer, Session::Impl::OpenModel(marked, options, extras, context));
  }
  ReleaseFreeMemory();   // before the same weights are loaded again
  return LoadModel(options.save_optimized_to);
}

}  // namespace

struct ObservedSession::Impl {
  std::unique_ptr<ObserveDomain> domain;   // outlives the session
  Session session;
  std::vector<ObserverPlace> places;
};

ObservedSession::ObservedSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ObservedSession::ObservedSession(ObservedSession&&) noexcept = default;
ObservedSession& ObservedSession::operator=(ObservedSession&&) noexcept = default;
ObservedSession::~ObservedSession() = default;

Result<ObservedSession> ObservedSession::Open(const Model& model, const std::vector<std::string>& tensors,
                                              TensorObserver* observer, const ObservedSessionOptions& options,
                                              const RunContext& context) {
  PREON_RETURN_IF_ERROR(CheckTensors(model.graph, tensors));
  auto domain = std::make_unique<ObserveDomain>(observer);
  std::vector<ObserverPlace> places(tensors.size(), ObserverPlace::kFloatGraph);
  Model observed;
  if (options.optimize) {
    PREON_ASSIGN_OR_RETURN(observed, OptimizeMarked(model, tensors, *domain, context));
    const bool blocked = HasBlockedMarker(observed);
    PREON_ASSIGN_OR_RETURN(const int64_t block, blocked ? ChannelBlock(context) : Result<int64_t>(1));
    PREON_ASSIGN_OR_RETURN(places, ReplaceMarkers(observed, tensors.size(), block));
  } else {
    observed = model;
    InsertObservers(observed, tensors);
  }
  PREON_RETURN_IF_ERROR(observed.graph.SortTopologically());
  observed.source_path = model.source_path;

  SessionOptions session_options = options.session;
  session_options.optimization = Optimization::kOff;
  PREON_ASSIGN_OR_RETURN(Session session, Session::Impl::OpenModel(observed, session_options, {.custom_ops = domain->domain, .config = {}}, context));
  return ObservedSession(std::make_unique<Impl>(Impl{std::move(domain), std::move(session), std::move(places)}));
}

const std::vector<TensorSpec>& ObservedSession::inputs() const { return impl_->session.inputs(); }
const std::vector<ObserverPlace>& ObservedSession::places() const { return impl_->places; }

Result<std::vector<NamedTensor>> ObservedSession::Run(const std::vector<NamedTensor>& feeds, const RunContext& context) {
  return impl_->session.Run(feeds, context);
}

}  // namespace preon
