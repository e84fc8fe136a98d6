#include "search/float_head.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "formats/int_format.h"
#include "quantize/params/plan_params.h"

namespace preon {
namespace {

constexpr double kMostLost = 0.1;

// What nearest codes miss of each output's weights, as a share of their squares; the mean of all outputs.
double LostShare(size_t outputs, std::span<const float> weights, std::span<const float> rounded) {
  double lost = 0;
  const size_t each = weights.size() / outputs;
  for (size_t output = 0; output < outputs; ++output) {
    double missed = 0, all = 0;
    for (size_t at = output * each; at < (output + 1) * each; ++at) {
      const double weight = double{weights[at]}, error = weight - double{rounded[at]};
      missed += error * error;
      all += weight * weight;
    }
    if (all > 0) lost += std::min(missed / all, 1.0);
  }
  return lost / static_cast<double>(outputs);
}

class HeadFinder {
 public:
  HeadFinder(const Graph& graph, const QuantPlan& plan)
      : graph_(graph), plan_(plan), params_(graph, plan, no_ranges_), integer_(IntegerNodes(plan)) {}

  Result<FloatNodes> Find() {
    std::vector<const Node*> reached;  // in the graph's order
    std::set<std::string> known(graph_.inputs().begin(), graph_.inputs().end()), behind_poor;
    std::set<const Node*> chosen;
    for (const auto& node : graph_.nodes()) {
      if (!std::ranges::all_of(node->inputs(), [&](const std::string& input) { return IsKnown(input, known); }))
        continue;
      PREON_ASSIGN_OR_RETURN(const std::optional<double> lost, Lost(*node));
      if (lost && *lost < kMostLost) continue;
      reached.push_back(node.get());
      known.insert(node->outputs().begin(), node->outputs().end());
      const auto is_behind = [&](const std::string& input) { return behind_poor.contains(input); };
      if (!lost && std::ranges::none_of(node->inputs(), is_behind)) continue;
      chosen.insert(node.get());
      behind_poor.insert(node->outputs().begin(), node->outputs().end());
    }
    FloatNodes head;
    for (const Node* node : reached | std::views::reverse) {
      for (const std::string& output : node->outputs()) {
        for (const Use& use : graph_.Uses(output))
          if (chosen.contains(use.node)) chosen.insert(node);
      }
      if (chosen.contains(node) && integer_.contains(node->name)) head.emplace(node->name, FloatReason::kInputHead);
    }
    return head;
  }

 private:
  bool IsKnown(const std::string& input, const std::set<std::string>& known) const {
    return input.empty() || graph_.Initializer(input) != nullptr || known.contains(input);
  }

  // Of an integer layer, nothing of other nodes. All but convolutions come later in a model and bear their scale.
  Result<std::optional<double>> Lost(const Node& node) {
    const auto planned = plan_.weights.find(node.input(1));
    const Tensor* weight = graph_.Initializer(node.input(1));
    const bool is_layer = node.Is("Conv") || node.Is("ConvTranspose") || node.Is("Gemm") || node.Is("MatMul");
    if (!is_layer || !integer_.contains(node.name)) return std::optional<double>();
    if (!node.Is("Conv") || weight == nullptr || planned == plan_.weights.end()) return std::optional(0.0);
    PREON_ASSIGN_OR_RETURN(const std::vector<QuantParams> params, params_.OfWeight(node.input(1), planned->second));
    PREON_ASSIGN_OR_RETURN(const EncodedTensor encoded,
                           EncodeTensor(*weight, params, planned->second.axis, planned->second.format));
    const Tensor rounded = DecodeTensor(encoded);
    return std::optional(LostShare(static_cast<size_t>(weight->shape()[0]), weight->floats(), rounded.floats()));
  }

  const Graph& graph_;
  const QuantPlan& plan_;
  const TensorRanges no_ranges_;
  PlanParams params_;
  const std::set<std::string_view> integer_;
};

}  // namespace

Result<FloatNodes> HeadOf(const Graph& graph, const QuantPlan& plan) { return HeadFinder(graph, plan).Find(); }

Status LeaveHead(PlannedModel& prepared, const FallbackPlanner& fallback) {
  PREON_ASSIGN_OR_RETURN(FloatNodes head, HeadOf(prepared.model.graph, prepared.plan));
  if (head.empty()) return Status::Ok();
  PREON_ASSIGN_OR_RETURN(std::optional<QuantPlan> plan, fallback.PlanWithout(head, prepared));
  if (!plan) return Status::Ok();
  prepared.plan = *std::move(plan);
  prepared.left_float.merge(head);
  return Status::Ok();
}

}  // namespace preon
