// pools_with_indices: in a model with 4-bit codes each MaxPool gives out indices, too.
//
// Before:      y = MaxPool(x)
// After:       y, i = MaxPool(x)                                                         i: not read
// Conditions:  some QuantizeLinear has codes of 4 bits; with --compat quark the pools stay, as in Quark.
// Formula:     -
// Why:         ONNX Runtime (1.30) moves quantizers through a MaxPool to run it on codes, has no kernel for 4 bits, and
//              does not load the model. It leaves pools that give out indices alone.
#include <algorithm>

#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

bool HasShortCodes(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [&](const std::unique_ptr<Node>& node) {
    const DataType codes = node->op_type == "QuantizeLinear" ? graph.TypeOf(node->input(2)) : DataType::kUndefined;
    return codes == DataType::kInt4 || codes == DataType::kUInt4;
  });
}

class PoolsWithIndices final : public QdqPass {
 public:
  std::string_view name() const override { return "pools_with_indices"; }
  std::string_view summary() const override {
    return "in a model with 4-bit codes each MaxPool also outputs indices, so that the runtime loads the model";
  }
  bool WantedBy(const QuantPlan& plan) const override { return plan.compat != Compat::kQuark; }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    Graph& graph = model.graph;
    if (!HasShortCodes(graph)) return Effect::kUnchanged;
    Effect effect = Effect::kUnchanged;
    for (const auto& node : graph.nodes()) {
      if (!node->Is("MaxPool") || node->outputs().size() > 1) continue;
      graph.SetOutputs(node.get(), {node->output(), graph.UniqueTensorName(node->output() + "_indices")});
      effect = Effect::kChanged;
    }
    return effect;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakePoolsWithIndicesPass() { return std::make_unique<PoolsWithIndices>(); }

}  // namespace preon
