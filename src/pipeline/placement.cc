#include "pipeline/placement.h"

#include <algorithm>

#include "quantize/plan/macs.h"
#include "quantize/plan/op_traits.h"

namespace preon {
namespace {

double MacsOf(const Graph& graph, const NodeDecision& decision) {
  const Node* node = graph.FindNode(decision.node);
  return decision.macs > 0 || node == nullptr ? decision.macs : RecurrentMacs(graph, *node) + EinsumMacs(graph, *node);
}

// What the runtime at hand makes of a model that something else runs tells nothing about the latter.
ObservedKernel AsPlanned(const QuantPlan& plan, const NodeDecision& decision) {
  if (!decision.is_static()) return {.kernel_class = KernelClass::kFloat, .kernel = ""};
  return {.kernel_class = KernelClass::kInteger, .kernel = plan.runs_on};
}

}  // namespace

Placement JoinPlacement(const QuantPlan& plan, const Graph& graph, const std::map<std::string, ObservedKernel>& kernels,
                        const std::vector<StoredFloatWeight>& stored) {
  double all_macs = 0;
  for (const NodeDecision& decision : plan.nodes) all_macs += MacsOf(graph, decision);
  Placement placement{.runs_on = plan.runs_on};
  for (const NodeDecision& decision : plan.nodes) {
    const Node* node = graph.FindNode(decision.node);
    if (node == nullptr || !WorksOnFloats(graph, *node)) continue;
    const auto found = kernels.find(plan.NameInResult(decision));
    ObservedKernel kernel = found == kernels.end() ? ObservedKernel{} : found->second;
    if (!plan.runs_on.empty()) kernel = AsPlanned(plan, decision);
    const bool anchor = decision.macs > 0 || node->Is("Conv") || node->Is("ConvTranspose") || node->Is("MatMul") ||
                        node->Is("Gemm") || IsRecurrent(*node);
    placement.recurrent += IsRecurrent(*node);
    if (kernel.kernel_class == KernelClass::kAbsorbed && !anchor) continue;

    const double share = all_macs > 0 ? MacsOf(graph, decision) / all_macs : 0;
    if (kernel.kernel_class == KernelClass::kInteger || kernel.kernel_class == KernelClass::kMover) {
      placement.integer.push_back({decision.node, decision.op_type, kernel.kernel, share});
      placement.integer_anchors += anchor;
      placement.integer_macs_share += share;
      continue;
    }
    FloatNode entry{decision.node, decision.op_type, std::string(FloatReasonName(decision.reason)), decision.detail,
                    share};
    if (decision.reason == FloatReason::kNone) {
      entry.reason = FloatReasonName(FloatReason::kNotFused);
      entry.detail = kernel.kernel.empty() ? "not found in the runtime's graph"
                                           : StrCat("the runtime runs ", kernel.kernel, " in float");
    }
    const auto weight = std::ranges::find(stored, decision.node, &StoredFloatWeight::node);
    if (weight != stored.end()) {
      entry.weights = FloatStorageName(weight->storage);
      entry.weights_why = weight->why;
    }
    placement.float_nodes.push_back(std::move(entry));
    placement.float_anchors += anchor;
  }
  return placement;
}

}  // namespace preon
