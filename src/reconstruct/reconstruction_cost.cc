#include "reconstruct/reconstruction_cost.h"

#include <algorithm>
#include <ranges>

#include "quantize/plan/estimated_time.h"
#include "reconstruct/coded_layer.h"

namespace preon {
namespace {

// Fewer tell too little of a layer.
constexpr int64_t kLeastRuns = 12;
constexpr int64_t kUsualRuns = 16;
// Measured at one thread: how much longer than the model alone a run takes which gives more than its outputs, in
// calibration, for the targets, and in parts, one layer after the other.
constexpr double kObserved = 1.5, kTargets = 1.5, kSegments = 1.5;
constexpr double kSegmentNs = 5e6;  // to open the part of the model in front of a layer, and what comes with it
constexpr double kOpenedNsPerLayer = 0.5e6;                                // of all that follows, to judge the outputs
constexpr int64_t kLeastRowsOfLastLayers = 4, kMostRowsOfLastLayers = 16;  // per input
constexpr double kNsPerOperation = 0.025;                                  // of dense algebra

double AlgebraNs(const LayerForm& form, int64_t most_rows) {
  const auto rows = static_cast<double>(most_rows), inputs = static_cast<double>(form.inputs);
  const auto outputs = static_cast<double>(form.outputs);
  const double sums = rows * inputs * (inputs / 2 + outputs), solved = inputs * inputs * (inputs + 6 * outputs);
  return static_cast<double>(form.groups) * (sums + solved) * kNsPerOperation;
}

// Of one sample: all of the output's elements but its channels.
int64_t PlacesOf(const Graph& graph, const Node& node, const LayerForm& form) {
  int64_t elements = 1;
  for (const int64_t extent : graph.ShapeOf(node.output()).value_or(Shape{})) elements *= std::max<int64_t>(extent, 1);
  return std::max<int64_t>(elements / static_cast<int64_t>(form.groups * form.outputs), 1);
}

// Does each sample give one row? Not where the graph does not say so.
bool HasOneRowPerSample(const Graph& graph, const Node& node) {
  const std::optional<Shape> shape = graph.ShapeOf(node.output());
  if (!shape) return false;
  const bool is_conv = node.Is("Conv");
  const size_t first = is_conv ? 2 : 1, last = is_conv ? shape->size() : std::max<size_t>(shape->size(), 1) - 1;
  for (size_t axis = first; axis < last; ++axis)
    if ((*shape)[axis] != 1) return false;
  return true;
}

std::vector<std::pair<const Node*, LayerForm>> LayersOf(const Graph& graph, const QuantPlan& plan,
                                                        const std::set<std::string>& op_types) {
  std::vector<std::pair<const Node*, LayerForm>> layers;
  for (const NodeDecision& decision : plan.nodes) {
    const Node* node = graph.FindNode(decision.node);
    if (node == nullptr || decision.reason != FloatReason::kNone || !op_types.contains(node->op_type)) continue;
    const Tensor* weight = graph.Initializer(node->input(1));
    if (graph.UseCount(node->input(1)) != 1) continue;  // shared codes stay
    const std::optional<LayerForm> form = weight != nullptr ? FormOfLayer(*node, weight->shape()) : std::nullopt;
    if (form) layers.emplace_back(node, *form);
  }
  return layers;
}

}  // namespace

ReconstructionCost CostsOf(const Graph& graph, const QuantPlan& plan, const std::set<std::string>& op_types,
                           const RowCount& rows, int64_t samples) {
  QuantPlan in_float = plan;
  for (NodeDecision& decision : in_float.nodes) decision.reason = FloatReason::kExcluded;
  const double float_ns = EstimatedNs(graph, in_float), quantized_ns = EstimatedNs(graph, plan);
  ReconstructionCost costs{.calibration = kObserved * float_ns * static_cast<double>(samples),
                           .per_sample = kTargets * float_ns + kSegments * quantized_ns,
                           .per_judged_sample = quantized_ns / 2};
  const std::vector<std::pair<const Node*, LayerForm>> layers = LayersOf(graph, plan, op_types);
  for (const auto& [node, form] : layers) {
    const int64_t most_rows = std::min(rows.For(form.inputs), kUsualRuns * PlacesOf(graph, *node, form));
    const double fitted = static_cast<double>(most_rows) * (1 - 1.0 / kJudgingShare);
    const bool is_judged_alone = layers.size() <= kBlocks;
    if (!is_judged_alone && fitted < rows.evidence * static_cast<double>(form.inputs)) continue;
    costs.layers += kSegmentNs + AlgebraNs(form, most_rows);
    costs.layer_count += 1;
  }
  for (const auto& [node, form] : layers | std::views::reverse) {
    if (!HasOneRowPerSample(graph, *node)) break;
    costs.last_layers.push_back(node->name);
    costs.last_inputs = std::max(costs.last_inputs, form.inputs);
  }
  costs.judgement = kOpenedNsPerLayer * static_cast<double>(costs.layer_count) / 2;
  return costs;
}

double ReconstructionCost::FixedNs() const { return layers + static_cast<double>(kBlocks) * judgement; }

double ReconstructionCost::RunNs(int64_t samples_per_run) const {
  const double judged = static_cast<double>(kBlocks) * per_judged_sample / static_cast<double>(kJudgingShare);
  return std::max(static_cast<double>(samples_per_run) * (per_sample + judged), 1.0);
}

int64_t ReconstructionCost::LeastRunsOfLastLayers(int64_t samples_per_run, int64_t has) const {
  return std::max(kLeastRowsOfLastLayers * static_cast<int64_t>(last_inputs) / samples_per_run, 2 * has);
}

int64_t RunsWithin(const ReconstructionCost& costs, const CostLimit& most, int64_t samples_per_run, int64_t available) {
  const double left = std::max(most.calibrations * costs.calibration, most.free_ns) - costs.FixedNs();
  const int64_t least = std::min(kLeastRuns, available);
  const int64_t runs = std::min({std::max(available / most.share_of_runs, least), most.runs,
                                 static_cast<int64_t>(std::clamp(left / costs.RunNs(samples_per_run), 0.0, 1e6))});
  return runs < least ? 0 : runs;
}

int64_t RunsOfLastLayers(const ReconstructionCost& costs, const CostLimit& most, int64_t samples_per_run,
                         int64_t available, int64_t has) {
  if (costs.last_layers.empty()) return 0;
  const double limit = std::max(most.calibrations * costs.calibration, most.free_ns);
  const double spent = costs.FixedNs() + static_cast<double>(has) * costs.RunNs(samples_per_run);
  const double run_ns = std::max(static_cast<double>(samples_per_run) * costs.per_sample / kTargets, 1.0);
  const int64_t most_rows = kMostRowsOfLastLayers * static_cast<int64_t>(costs.last_inputs);
  const int64_t runs = std::min(
      {available, most_rows / samples_per_run, static_cast<int64_t>(std::clamp((limit - spent) / run_ns, 0.0, 1e6))});
  return runs < costs.LeastRunsOfLastLayers(samples_per_run, has) ? 0 : runs;
}

}  // namespace preon
