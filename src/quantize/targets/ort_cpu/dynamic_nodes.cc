#include "quantize/targets/ort_cpu/dynamic_nodes.h"

namespace preon {

void AddDynamicNodes(const Graph& graph, const DynamicKernels& kernels, QuantPlan& plan) {
  for (NodeDecision& decision : plan.nodes) {
    // What is float for another reason stays so for its accuracy or time.
    if (decision.reason != FloatReason::kNoKernel && decision.reason != FloatReason::kAttributes) continue;
    const Node& node = *graph.FindNode(decision.node);
    if (node.Is("Conv") || node.Is("Gather")) continue;
    const KernelVerdict verdict = kernels.Judge(node);
    if (verdict.reason == FloatReason::kNone && kernels.IsSmall(node)) {
      decision.reason = kTooSmallForDynamic.reason;
      decision.detail = kTooSmallForDynamic.detail;
    } else if (verdict.reason == FloatReason::kNone) {
      decision = {node.name, node.op_type, FloatReason::kNone, "", kernels.Macs(node), /*dynamic=*/true};
      kernels.Add(node, plan.dynamic);
    } else if (node.Is("LSTM")) {
      decision.detail = verdict.detail;
    }
  }
}

}  // namespace preon
