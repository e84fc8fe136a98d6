#include "search/sensitivity.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include "base/data_type.h"
#include "pipeline/select_ranges.h"
#include "pipeline/write_plan.h"
#include "quantize/params/plan_params.h"
#include "quantize/plan/estimated_time.h"
#include "search/error_cause.h"
#include "search/error_look.h"
#include "search/fallback_terms.h"
#include "search/speed_check.h"

namespace preon {
namespace {

constexpr size_t kGroups = 3;  // that are run
// Beyond it float32 itself is no nearer: two orders of one sum differ by as much.
constexpr double kAsFloatDb = 100;
constexpr double kTimeTolerance = 0.1;  // by which a measured time may be above the budget

// Of the noise, left whatever goes to float: what each source makes is not known better.
constexpr double kLeastLeft = 0.01;

// A model that nothing distinguishes from float has no figure in dB: a floor of the noise would be one by chance.
double GainOver(double base_db, double gain_db) {
  return base_db >= kAsFloatDb || base_db + gain_db < kAsFloatDb ? gain_db : std::numeric_limits<double>::infinity();
}

std::optional<double> DbOver(double signal, double noise) {
  if (!(signal > 0)) return std::nullopt;
  return SqnrOf(noise / signal);
}

class SensitivitySearch {
 public:
  SensitivitySearch(const PlannedModel& prepared, const RangeMethod& method, const PlanInputs& inputs,
                    const FallbackPlanner& fallback, Trials& trials, const SensitivityOptions& options)
      : prepared_(prepared),
        plan_(prepared.plan),
        method_(method),
        inputs_(inputs),
        fallback_(fallback),
        trials_(trials),
        options_(options) {}

  Result<SensitivityResult> Run() {
    trials_.Expect(3 + options_.confirm);
    PREON_ASSIGN_OR_RETURN(look_, LookAtErrors(prepared_, method_, inputs_, trials_));
    PREON_ASSIGN_OR_RETURN(const std::optional<TrialError> base,
                           trials_.Run(prepared_.model, plan_, method_, inputs_, TrialSize::kAll));
    if (!base)
      return Error(ErrorId::kVerifyOutput, prepared_.model.source_path,
                   ": no output can be compared, because the shape of each depends on the data");
    result_.evaluations = 3;  // the lock-step run has one of each model
    result_.sqnr_db = base->sqnr_db;
    result_.typical_db = base->some.typical_db;
    base_ns_ = EstimatedNs(look_.graph, plan_);
    PREON_RETURN_IF_ERROR(DescribeTensors());
    PREON_RETURN_IF_ERROR(DescribeLayers());
    if (result_.typical_db >= kMostRunDb) {
      result_.warnings.push_back(
          StrCat("no gain was measured: each run is ", kMostRunDb, " dB or more, which counts as equal to float"));
      result_.why_no_fix = "the model counts as equal to float";
      return std::move(result_);
    }
    PREON_RETURN_IF_ERROR(ConfirmLayers());
    result_.why_no_fix = "--confirm 0 measures none";
    if (options_.confirm > 0) PREON_RETURN_IF_ERROR(FindFix());
    return std::move(result_);
  }

 private:
  Result<std::optional<TrialError>> Measure(const QuantPlan& plan) {
    PREON_RETURN_IF_ERROR(trials_.context().CheckCancelled());
    return trials_.Run(prepared_.model, plan, method_, inputs_, TrialSize::kSome);
  }

  double ShareOf(const std::map<std::string, double>& parts, const std::string& name) const {
    const auto part = parts.find(name);
    return part == parts.end() || look_.sources.noise <= 0 ? 0 : part->second / look_.sources.noise;
  }

  Status DescribeTensors() {
    const Graph& graph = prepared_.model.graph;
    PREON_ASSIGN_OR_RETURN(const TensorRanges ranges,
                           SelectRanges(PlanRanges(graph, plan_), method_, inputs_, trials_.context()));
    PlanParams params(graph, plan_, ranges);
    PREON_RETURN_IF_ERROR(params.Compute());
    for (const auto& [tensor, codes] : params.activations()) {
      const auto measured = look_.measured.tensors.find(tensor);
      if (measured == look_.measured.tensors.end() || codes.block != nullptr) continue;
      const TensorError& error = measured->second;
      TensorSensitivity& entry = result_.tensors.emplace_back();
      entry.tensor = tensor;
      entry.share = ShareOf(look_.sources.activations, tensor);
      entry.own_db = DbOver(error.signal, error.rounding);
      entry.inherited_db = DbOver(error.signal, std::max(0.0, error.noise - error.rounding));
      const auto sketch = inputs_.data.tensors.find(plan_.ObservedFor(tensor));
      if (sketch != inputs_.data.tensors.end() && sketch->second.finite_count() > 0)
        entry.cause = CauseOfActivation(sketch->second, codes.params, codes.format);
    }
    std::ranges::stable_sort(result_.tensors, std::greater(), &TensorSensitivity::share);
    return Status::Ok();
  }

  std::string CauseOfTensor(const std::string& tensor) const {
    const auto found = std::ranges::find(result_.tensors, tensor, &TensorSensitivity::tensor);
    if (found == result_.tensors.end() || found->cause.empty()) return "";
    return StrCat("'", tensor, "': ", found->cause);
  }

  std::string CauseOfRoundedWeight(const Node& node) const {
    const auto plan = plan_.weights.find(node.input(1));
    const Tensor* weight = prepared_.model.graph.Initializer(node.input(1));
    return plan == plan_.weights.end() || weight == nullptr ? "" : CauseOfWeight(*weight, plan->second);
  }

  int64_t BytesInFloat(const Node& node) const {
    const auto plan = plan_.weights.find(node.input(1));
    const Tensor* weight = prepared_.model.graph.Initializer(node.input(1));
    if (plan == plan_.weights.end() || weight == nullptr || plan->second.block) return 0;
    return weight->count() * (32 - DataTypeBits(plan->second.format.type)) / 8;
  }

  Status DescribeLayers() {
    std::map<std::string, int64_t> positions;
    for (const auto& node : prepared_.model.graph.nodes()) positions.emplace(node->name, std::ssize(positions));
    for (const std::string& name : IntegerProducts(plan_)) {
      PREON_RETURN_IF_ERROR(trials_.context().CheckCancelled());
      const Node& node = *prepared_.model.graph.FindNode(name);
      LayerSensitivity& layer = result_.layers.emplace_back();
      layer.node = name;
      layer.op_type = node.op_type;
      layer.position = positions[name];
      layer.time_share = EstimatedNodeNs(look_.graph, node, true) / base_ns_;
      layer.weight_share = ShareOf(look_.sources.weights, name);
      layer.input_share = ShareOf(look_.sources.activations, node.input(0));
      layer.output_share = ShareOf(look_.sources.activations, node.output());
      if (const TensorError* error = ErrorBehind(prepared_.model.graph, look_.measured, node.FirstOutput())) {
        const auto weight = look_.measured.weights.find(name);
        const double own = weight == look_.measured.weights.end() ? 0 : weight->second;
        layer.own_db = DbOver(error->signal, own + error->rounding);
        layer.inherited_db = DbOver(error->signal, std::max(0.0, error->inherited - own));
      }
      layer.float_bytes = BytesInFloat(node);
      const bool tensors = std::max(layer.input_share, layer.output_share) > layer.weight_share;
      const bool input = layer.input_share >= layer.output_share;
      layer.cause = tensors ? CauseOfTensor(input ? node.input(0) : node.output()) : CauseOfRoundedWeight(node);
      PREON_ASSIGN_OR_RETURN(std::optional<FloatGroup> group, Predict({name}));
      if (!group) continue;
      layer.float_gain_db = group->gain_db;
      layer.float_cost = group->cost;
    }
    std::ranges::stable_sort(result_.layers, std::greater(), &LayerSensitivity::float_gain_db);
    return Status::Ok();
  }

  // None where nothing would be left to quantize.
  Result<std::optional<FloatGroup>> Predict(const NodeGroup& nodes) const {
    PREON_ASSIGN_OR_RETURN(std::optional<QuantPlan> plan, fallback_.PlanWithout(InFloatForAccuracy(nodes), prepared_));
    if (!plan) return std::optional<FloatGroup>();
    FloatGroup group{.nodes = nodes, .plan = *std::move(plan)};
    const double noise = look_.sources.With(plan_);
    group.gain_db = SqnrOf(std::max(look_.sources.With(group.plan), kLeastLeft * noise)) - SqnrOf(noise);
    group.cost = (EstimatedNs(look_.graph, group.plan) - base_ns_) / base_ns_;
    return std::optional(std::move(group));
  }

  // None where the plan can't be run.
  Result<std::optional<double>> MeasuredGain(const QuantPlan& plan) {
    ++result_.evaluations;
    const Result<std::optional<TrialError>> error = Measure(plan);
    if (!error.ok() && error.status().id() == ErrorId::kCancelled) return error.status();
    if (!error.ok() || !*error) return std::optional<double>();
    return std::optional((*error)->some.typical_db - result_.typical_db);
  }

  Status ConfirmLayers() {
    const auto confirmed = std::min<size_t>(result_.layers.size(), static_cast<size_t>(options_.confirm));
    for (LayerSensitivity& layer : std::span(result_.layers).first(confirmed)) {
      PREON_ASSIGN_OR_RETURN(const std::optional<FloatGroup> group, Predict({layer.node}));
      if (!group) continue;
      PREON_ASSIGN_OR_RETURN(const std::optional<double> gain_db, MeasuredGain(group->plan));
      if (gain_db) layer.measured_gain_db = GainOver(result_.typical_db, *gain_db);
    }
    return Status::Ok();
  }

  Status FindFix() {
    const FallbackTerms terms = FallbackTerms::Of(result_.sqnr_db, options_.budget);
    result_.why_no_fix = StrCat("no group of layers is worth keeping in float: ", terms.Text());
    const std::vector<NodeGroup> all = CandidateGroups(look_.graph, IntegerProducts(plan_), {}, look_.sources);
    std::vector<FloatGroup> groups;
    for (const NodeGroup& nodes : std::set<NodeGroup>(all.begin(), all.end())) {
      PREON_ASSIGN_OR_RETURN(std::optional<FloatGroup> group, Predict(nodes));
      if (group && LeavesEnoughIntegers(group->plan, plan_) && group->cost <= terms.budget &&
          terms.Pays(group->gain_db, group->cost))
        groups.push_back(*std::move(group));
    }
    const auto net = [&](double gain_db, double cost) { return terms.Worth(gain_db) - std::max(0.0, cost); };
    std::ranges::stable_sort(groups, std::greater(),
                             [&](const FloatGroup& group) { return net(group.gain_db, group.cost); });
    if (groups.size() > kGroups) groups.resize(kGroups);
    const FloatGroup* best = nullptr;
    double best_gain_db = 0, best_cost = 0;
    for (const FloatGroup& group : groups) {
      PREON_ASSIGN_OR_RETURN(const std::optional<double> gain_db, MeasuredGain(group.plan));
      if (!gain_db || !terms.Pays(*gain_db, group.cost)) continue;
      PREON_ASSIGN_OR_RETURN(const double cost, MeasuredCost(group.plan));
      if (cost > terms.budget + kTimeTolerance) continue;  // the estimate was wrong
      if (best != nullptr && net(*gain_db, cost) <= net(best_gain_db, best_cost)) continue;
      best = &group;
      best_gain_db = *gain_db;
      best_cost = cost;
    }
    if (best == nullptr) return Status::Ok();
    result_.why_no_fix.clear();
    SensitivityFix& fix = result_.fix.emplace();
    fix.nodes.assign(best->nodes.begin(), best->nodes.end());
    fix.predicted_gain_db = best->gain_db;
    fix.gain_db = GainOver(result_.typical_db, best_gain_db);
    fix.cost = best->cost;
    fix.measured_cost = best_cost;
    for (const std::string& node : fix.nodes) fix.bytes += BytesInFloat(*prepared_.model.graph.FindNode(node));
    return Status::Ok();
  }

  Result<double> MeasuredCost(const QuantPlan& plan) const {
    const RunContext& context = trials_.context();
    PREON_ASSIGN_OR_RETURN(const Model before, WritePlan(prepared_.model, plan_, method_, inputs_, context));
    PREON_ASSIGN_OR_RETURN(const Model after, WritePlan(prepared_.model, plan, method_, inputs_, context));
    const Model* const forms[] = {&before, &after};
    PREON_ASSIGN_OR_RETURN(const std::vector<double> ms,
                           FastestRunsMs(forms, trials_.samples().runs().front().batch.feeds, context));
    return ms[1] / ms[0] - 1;
  }

  const PlannedModel& prepared_;
  const QuantPlan& plan_;
  const RangeMethod& method_;
  const PlanInputs& inputs_;
  const FallbackPlanner& fallback_;
  Trials& trials_;
  const SensitivityOptions& options_;
  SensitivityResult result_;
  ErrorLook look_;
  double base_ns_ = 1;
};

}  // namespace

Result<SensitivityResult> FindSensitivity(const PlannedModel& prepared, const RangeMethod& method,
                                          const PlanInputs& inputs, const FallbackPlanner& fallback, Trials& trials,
                                          const SensitivityOptions& options) {
  return SensitivitySearch(prepared, method, inputs, fallback, trials, options).Run();
}

}  // namespace preon
