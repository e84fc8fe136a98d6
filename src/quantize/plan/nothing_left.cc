#include "quantize/plan/nothing_left.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "formats/quark_operators.h"

namespace preon {
namespace {

constexpr size_t kMostReasons = 3;

// "2 MatMul (element type: float64), 1 Relu (…)": the most frequent ones first.
std::string ReasonsOf(const QuantPlan& plan) {
  std::map<std::string, int> counts;
  for (const NodeDecision& decision : plan.nodes) {
    const std::string detail = decision.detail.empty() ? "" : StrCat(": ", decision.detail);
    ++counts[StrCat(decision.op_type, " (", FloatReasonName(decision.reason), detail, ")")];
  }
  std::vector<std::pair<int, std::string>> groups;
  for (const auto& [reason, count] : counts) groups.emplace_back(count, reason);
  std::ranges::stable_sort(groups, std::greater(), &std::pair<int, std::string>::first);
  std::string text;
  for (size_t i = 0; i < std::min(groups.size(), kMostReasons); ++i)
    text += StrCat(i == 0 ? ": " : ", ", groups[i].first, " ", groups[i].second);
  return groups.size() > kMostReasons ? text + ", and others" : text;
}

bool IsOfOptimizer(const Node& node) {
  return node.domain == "com.microsoft.nchwc" || (node.domain == kContribDomain && node.op_type.starts_with("Fused"));
}

}  // namespace

std::string AdviceForOptimized(const Graph& graph) {
  const auto fused = std::ranges::count_if(graph.nodes(), [](const auto& node) { return IsOfOptimizer(*node); });
  if (fused == 0) return "";
  return StrCat(fused, fused == 1 ? " node is an operator" : " nodes are operators",
                " that ONNX Runtime's optimizer made and computes in float only: give the model from before that");
}

Status NothingLeft(const QuantPlan& plan, size_t source_nodes, bool quantizes_activations) {
  const auto excluded = std::ranges::count(plan.nodes, FloatReason::kExcluded, &NodeDecision::reason);
  if (excluded > 0) {
    return Error(ErrorId::kNothingToQuantize, "nothing is left to quantize: the options exclude ", excluded, " of its ",
                 source_nodes, " nodes; none of the others can be quantized")
        .WithHint(
            "these options select nodes: exclude, layer_type_config, NodesToQuantize, OpTypesToQuantize, InputNodes "
            "and OutputNodes");
  }
  return Error(ErrorId::kNothingToQuantize, "none of its ", source_nodes, " nodes ",
               quantizes_activations ? "can run as an integer kernel" : "has a weight that can be quantized",
               ReasonsOf(plan));
}

}  // namespace preon
