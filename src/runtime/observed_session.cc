#include "runtime/observed_session.h"

#include <algorithm>
#include <optional>

#include "base/output/temp_dir.h"
#include "base/system.h"
#include "base/tensor_spec.h"
#include "ir/model_io.h"
#include "onnxruntime_session_options_config_keys.h"
#include "runtime/channel_block.h"
#include "runtime/observe_domain.h"
#include "runtime/observed_adds.h"
#include "runtime/observer_graph.h"
#include "runtime/optimizer_config.h"
#include "runtime/session_impl.h"

namespace preon {
namespace {

/// The model as the runtime optimizes it, with a marker on each tensor. Its weights stay in `folder`.
Result<Model> OptimizeMarked(const Model& model, const std::vector<std::string>& tensors, const ObserveDomain& domain,
                             const TempDir& folder, const RunContext& context) {
  Model marked = model;
  AddMarkers(marked, tensors);
  ReleaseFreeMemory();  // what loading the model left behind
  const SessionOptions options{.optimization = Optimization::kAll, .save_optimized_to = folder.File("optimized.onnx")};
  const SessionExtras extras{.custom_ops = domain.domain,
                             .libraries = context.custom_ops,
                             .config = OptimizerConfig(!context.StaysInMemory() && PutWeightsBeside(model.graph))};
  { PREON_ASSIGN_OR_RETURN(const Session optimizer, Session::Impl::OpenModel(marked, options, extras)); }
  ReleaseFreeMemory();  // before the same weights are loaded again
  return LoadModel(options.save_optimized_to, {.keep_weight_file = true});
}

Result<int64_t> ChannelBlock(const RunContext& context) {
  PREON_ASSIGN_OR_RETURN(Session session,
                         Session::OpenModel(ChannelBlockModel(), {.optimization = Optimization::kOff}, context));
  return ChannelBlockOf(session, context);
}

}  // namespace

struct ObservedSession::Impl {
  /// Observers in the graph that the runtime has optimized.
  Status OpenOptimized(const Model& model, const std::vector<std::string>& tensors, const SessionOptions& options,
                       const RunContext& context);
  /// Observers beside the model's own graph, which another processor computes: copies come to them, none go back.
  Status OpenBeside(const Model& model, const std::vector<std::string>& tensors, const SessionOptions& options,
                    const RunContext& context);
  /// Observers in the model's own graph.
  Status OpenFloatGraph(const Model& model, const std::vector<std::string>& tensors, const SessionOptions& options,
                        bool few_runs, const RunContext& context);

  std::unique_ptr<ObserveDomain> domain;  // outlives the session
  std::optional<Session> session;
  std::vector<ObserverPlace> places;
};

Status ObservedSession::Impl::OpenOptimized(const Model& model, const std::vector<std::string>& tensors,
                                            const SessionOptions& options, const RunContext& context) {
  PREON_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Create(context.TempDir()));
  PREON_ASSIGN_OR_RETURN(Model optimized, OptimizeMarked(model, tensors, *domain, folder, context));
  PREON_RETURN_IF_ERROR(context.CheckCancelled());
  const bool blocked = HasBlockedMarker(optimized);
  PREON_ASSIGN_OR_RETURN(const int64_t block, blocked ? ChannelBlock(context) : Result<int64_t>(1));
  PREON_ASSIGN_OR_RETURN(places, ReplaceMarkers(optimized, tensors.size(), block));
  FuseObservedAdds(optimized.graph);
  PREON_RETURN_IF_ERROR(optimized.graph.SortTopologically());
  optimized.source_path = model.source_path;

  SessionOptions as_it_is = options;
  as_it_is.optimization = Optimization::kOff;
  PREON_ASSIGN_OR_RETURN(
      session,
      Session::Impl::OpenModel(optimized, as_it_is, {.custom_ops = domain->domain, .libraries = context.custom_ops}));
  return Status::Ok();
}

Status ObservedSession::Impl::OpenBeside(const Model& model, const std::vector<std::string>& tensors,
                                         const SessionOptions& options, const RunContext& context) {
  Model marked = model;
  AddMarkers(marked, tensors);
  PREON_RETURN_IF_ERROR(marked.graph.SortTopologically());
  places.assign(tensors.size(), ObserverPlace::kFloatGraph);
  PREON_ASSIGN_OR_RETURN(
      session, Session::Impl::OpenModel(
                   marked, options,
                   {.custom_ops = domain->domain, .libraries = context.custom_ops, .provider = context.provider()}));
  return Status::Ok();
}

Status ObservedSession::Impl::OpenFloatGraph(const Model& model, const std::vector<std::string>& tensors,
                                             const SessionOptions& options, bool few_runs, const RunContext& context) {
  Model observed = model;
  InsertObservers(observed, tensors);
  PREON_RETURN_IF_ERROR(observed.graph.SortTopologically());
  places.assign(tensors.size(), ObserverPlace::kFloatGraph);
  SessionExtras extras{.custom_ops = domain->domain, .libraries = context.custom_ops, .provider = context.provider()};
  if (few_runs) extras.config.emplace_back(kOrtSessionOptionsConfigDisablePrepacking, "1");
  PREON_ASSIGN_OR_RETURN(session, Session::Impl::OpenModel(observed, options, extras));
  return Status::Ok();
}

ObservedSession::ObservedSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ObservedSession::ObservedSession(ObservedSession&&) noexcept = default;
ObservedSession& ObservedSession::operator=(ObservedSession&&) noexcept = default;
ObservedSession::~ObservedSession() = default;

Result<ObservedSession> ObservedSession::Open(const Model& model, const std::vector<std::string>& tensors,
                                              TensorObserver* observer, const ObservedSessionOptions& options,
                                              const RunContext& context) {
  PREON_RETURN_IF_ERROR(context.CheckCancelled());
  PREON_RETURN_IF_ERROR(CheckObservable(model.graph, tensors));
  auto impl = std::make_unique<Impl>();
  impl->domain = std::make_unique<ObserveDomain>(observer, std::max(options.session.threads, 1), tensors.size());
  SessionOptions session_options = options.session;
  session_options.optimization = options.optimize ? Optimization::kAll : Optimization::kOff;
  if (options.optimize || options.beside) {
    const Status opened = options.beside ? impl->OpenBeside(model, tensors, session_options, context)
                                         : impl->OpenOptimized(model, tensors, session_options, context);
    if (opened.ok()) return ObservedSession(std::move(impl));
    if (opened.code() == StatusCode::kCancelled) return opened;
    context.Log(LogLevel::kInfo,
                StrCat("observers are put into the float graph, which is slower: ", opened.ToString()));
  }
  PREON_RETURN_IF_ERROR(impl->OpenFloatGraph(model, tensors, session_options, options.few_runs, context));
  return ObservedSession(std::move(impl));
}

const std::vector<TensorSpec>& ObservedSession::inputs() const { return impl_->session->inputs(); }
const std::vector<ObserverPlace>& ObservedSession::places() const { return impl_->places; }

Result<std::vector<NamedTensor>> ObservedSession::Run(const std::vector<NamedTensor>& feeds,
                                                      const RunContext& context) {
  return impl_->session->Run(feeds, context);
}

}  // namespace preon
