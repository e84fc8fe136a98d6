#include "quantize/qdq_passes/clips_to_relu.h"

#include "passes/rewrite.h"
#include "quantize/plan/op_traits.h"

namespace preon {
namespace {

// Why the codes of the Clip's output don't do its upper bound's work; empty where they do.
std::string WhyBoundMatters(const std::string& output, const Range& bounds, const QuantPlan& plan,
                            const PlanParams& params) {
  const auto planned = plan.activations.find(output);
  const ActivationParams* codes = params.Find(output);
  if (codes == nullptr || planned == plan.activations.end() || !planned->second.pair || codes->format.floating())
    return "has no integer codes behind it";
  const float largest = RepresentableRange(codes->params, codes->format).max;
  return largest <= bounds.max + codes->params.scale / 2 ? "" : StrCat("has codes up to ", largest, " behind it");
}

}  // namespace

std::vector<std::string> ClipsToRelu(Graph& graph, const QuantPlan& plan, const PlanParams& params) {
  std::vector<std::string> warnings;
  const bool always = plan.compat == Compat::kQuark;
  for (const NodeDecision& decision : plan.nodes) {
    Node* node = decision.reason == FloatReason::kNone ? graph.FindNode(decision.node)
                                                       : nullptr;  // null: its producer absorbed it
    if (node == nullptr || !node->Is("Clip")) continue;
    const std::optional<Range> bounds = ClampRange(graph, *node);
    if (!bounds || bounds->min < 0 || (bounds->min > 0 && !always)) continue;
    const std::string why = always ? "" : WhyBoundMatters(node->output(), *bounds, plan, params);
    if (why.empty())
      Become(graph, *node, "Relu", {node->input(0)}, {});
    else
      warnings.push_back(
          StrCat("ConvertClipToRelu: '", node->name, "' stays Clip: it ends at ", bounds->max, " and ", why));
  }
  return warnings;
}

}  // namespace preon
