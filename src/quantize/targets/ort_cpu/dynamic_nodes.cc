#include "quantize/targets/ort_cpu/dynamic_nodes.h"

#include <algorithm>

namespace preon {
namespace {

// Codes of a table save memory and no time, so only what makes the file clearly smaller gets them.
constexpr double kLargeTable = 0.2;  // of the bytes of all float weights

double CountOfFloatWeights(const Graph& graph) {
  double count = 0;
  for (const auto& [_, tensor] : graph.initializers())
    count += tensor.type() == DataType::kFloat ? static_cast<double>(tensor.count()) : 0;
  return count;
}

// Of embeddings, that nothing else reads: products would keep it in the file as it is.
bool ReadsLargeTable(const Graph& graph, const Node& node, double float_weights) {
  const Tensor* const table = node.Is("Gather") ? graph.Initializer(node.input(0)) : nullptr;
  return table != nullptr && static_cast<double>(table->count()) >= kLargeTable * float_weights &&
         !graph.IsOutput(node.input(0)) && !graph.HasCapturedUse(node.input(0)) &&
         std::ranges::all_of(graph.Uses(node.input(0)), [](const Use& use) { return use.node->Is("Gather"); });
}

bool MayBeDynamic(const Graph& graph, const Node& node, FloatReason reason, double float_weights) {
  // What is float for another reason stays so for its accuracy or time.
  if (node.Is("Gather")) return reason == FloatReason::kNoGain && ReadsLargeTable(graph, node, float_weights);
  return !node.Is("Conv") && (reason == FloatReason::kNoKernel || reason == FloatReason::kAttributes);
}

}  // namespace

void AddDynamicNodes(const Graph& graph, const DynamicKernels& kernels, QuantPlan& plan) {
  const double float_weights = CountOfFloatWeights(graph);
  for (NodeDecision& decision : plan.nodes) {
    const Node& node = *graph.FindNode(decision.node);
    if (!MayBeDynamic(graph, node, decision.reason, float_weights)) continue;
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
