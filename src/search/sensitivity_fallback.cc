#include "search/sensitivity_fallback.h"

#include <algorithm>
#include <cmath>

#include "pipeline/select_ranges.h"
#include "quantize/plan/quant_plan.h"

namespace preon {
namespace {

constexpr double kGoodEnoughDb = 15;  // below, classes and boxes get lost
constexpr double kEnoughDb = 20;      // no further tensor is tried
constexpr double kLeastGainDb = 0.5;  // what another layer in float must bring
constexpr double kLeastShare = 0.005;
constexpr int kMaxFruitless = 5;
constexpr double kLeastIntegerShare = 0.75;  // of the work in integers; with less of it the model is no faster any more

using Ranked = std::vector<std::pair<double, std::string>>;

// Channels are axis 1, of a size that does not change.
bool HasChannels(const Graph& graph, const std::string& tensor) {
  const std::optional<Shape> shape = graph.ShapeOf(tensor);
  return shape && shape->size() >= 2 && (*shape)[1] != kDynamicDim && (*shape)[1] > 1;
}

// Tensors by RoundingNoiseShare on the trials' samples, worst first.
Result<Ranked> RankBySensitivity(const PlannedModel& prepared, const RangeMethod& method, const PlanInputs& inputs,
                                 Trials& trials) {
  PREON_ASSIGN_OR_RETURN(const TensorRanges ranges, SelectRanges(PlanRanges(prepared.model.graph, prepared.plan),
                                                                 method, inputs, trials.context()));
  std::vector<std::string> tensors = prepared.plan.RangeTensors();
  std::erase_if(tensors, [&](const std::string& tensor) { return !HasChannels(prepared.model.graph, tensor); });
  Ranked ranked;
  if (tensors.empty()) return ranked;
  StatisticsRequest request;
  request.Add({.channel_extremes = {tensors.begin(), tensors.end()}});
  PREON_ASSIGN_OR_RETURN(const CalibrationData channels,
                         Calibrate(prepared.model, request, *trials.samples().Open(), {}, trials.BeginRun()));
  for (const std::string& tensor : tensors) {
    const TensorSketch& sketch = channels.tensors.at(tensor);
    std::vector<double> spans;
    for (size_t channel = 0; channel < sketch.channel_min().size(); ++channel)
      spans.push_back(double{sketch.channel_max()[channel]} - sketch.channel_min()[channel]);
    const ActivationPlan& plan = prepared.plan.activations.at(tensor);
    PREON_ASSIGN_OR_RETURN(const QuantParams params,
                           ComputeQuantParams(ranges.at(tensor), plan.format, plan.scale_type));
    const double share = RoundingNoiseShare(spans, params.scale);
    if (share >= kLeastShare) ranked.emplace_back(share, tensor);
  }
  std::ranges::sort(ranked, std::greater());
  return ranked;
}

// The integer Conv, Gemm and MatMul nodes that write the tensor (an activation may follow) or read it.
std::vector<std::string> NodesAround(const PlannedModel& prepared, const std::string& tensor) {
  const Graph& graph = prepared.model.graph;
  std::vector<const Node*> nodes;
  const Node* producer = graph.Producer(tensor);
  if (producer != nullptr && (producer->Is("Relu") || producer->Is("Clip")))
    producer = graph.Producer(producer->input(0));
  if (producer != nullptr) nodes.push_back(producer);
  for (const Use& use : graph.Uses(tensor)) nodes.push_back(use.node);
  std::vector<std::string> names;
  for (const Node* node : nodes) {
    const auto decision = std::ranges::find(prepared.plan.nodes, node->name, &NodeDecision::node);
    const bool integer = decision != prepared.plan.nodes.end() && decision->reason == FloatReason::kNone;
    if (integer && decision->macs > 0) names.push_back(node->name);
  }
  return names;
}

double IntegerMacs(const QuantPlan& plan) {
  double macs = 0;
  for (const NodeDecision& decision : plan.nodes) macs += decision.reason == FloatReason::kNone ? decision.macs : 0;
  return macs;
}

}  // namespace

double RoundingNoiseShare(std::span<const double> channel_spans, double step) {
  double sum = 0;
  int64_t channels = 0;
  for (const double span : channel_spans) {
    if (!(span > 0) || !std::isfinite(span)) continue;
    const double noise = step * step / 12, signal = span * span / 64;
    sum += std::min(1.0, noise / signal);
    ++channels;
  }
  return channels == 0 ? 0 : sum / static_cast<double>(channels);
}

Result<bool> FallBackBySensitivity(PlannedModel& prepared, const RangeMethod& method, const PlanInputs& inputs,
                                   const FallbackPlanner& fallback, Trials& trials, double sqnr_db) {
  if (sqnr_db >= kGoodEnoughDb) return false;
  PREON_ASSIGN_OR_RETURN(const Ranked ranked, RankBySensitivity(prepared, method, inputs, trials));
  const double least_macs = kLeastIntegerShare * IntegerMacs(prepared.plan);
  PlannedModel candidate = prepared;
  bool found = false;
  int fruitless = 0;
  for (const auto& [share, tensor] : ranked) {
    if (sqnr_db >= kEnoughDb || fruitless == kMaxFruitless) break;
    PREON_RETURN_IF_ERROR(trials.context().CheckCancelled());
    FloatNodes around;
    for (const std::string& node : NodesAround(candidate, tensor)) around.emplace(node, FloatReason::kAccuracy);
    PlannedModel further = candidate;
    PREON_ASSIGN_OR_RETURN(const bool planned, fallback.LeaveInFloat(around, further));
    if (!planned) break;
    if (further.left_float.size() == candidate.left_float.size()) continue;
    if (IntegerMacs(further.plan) < least_macs) continue;
    candidate = std::move(further);
    const Result<std::optional<double>> tried = trials.SqnrDb(candidate, method, inputs);
    if (!tried.ok() && tried.status().id() == ErrorId::kCancelled) return tried.status();
    if (!tried.ok() || tried->value_or(-kExactSqnrDb) < sqnr_db + kLeastGainDb) {
      ++fruitless;  // the next ones may need this one, too
      continue;
    }
    sqnr_db = **tried;
    prepared = candidate;
    found = true;
    fruitless = 0;
  }
  return found;
}

}  // namespace preon
