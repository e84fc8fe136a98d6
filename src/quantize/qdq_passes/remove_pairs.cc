// remove_pairs: no quantizers between operators of two types.
//
// Before:      y = Add(DequantizeLinear(QuantizeLinear(Mul(a, b), s, z), s, z), c)
// After:       y = Add(Mul(a, b), c)
// Conditions:  types that PassParameters::pairless names, first the one in front; nobody else reads what the
//              DequantizeLinear writes. Where others read the codes, the QuantizeLinear stays for them.
// Formula:     -
// Why:         Quark's RemoveQDQBetweenOps.
#include "quantize/qdq_passes/qdq_passes.h"
#include "quantize/read/stored_codes.h"

namespace preon {
namespace {

class RemovePairs final : public QdqPass {
 public:
  std::string_view name() const override { return "remove_pairs"; }
  std::vector<std::string_view> aliases() const override { return {"remove_qdq_between_op_types"}; }
  std::string_view summary() const override { return "removes the quantizers between operators of two types"; }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan& plan, std::vector<std::string>&) const override {
    Graph& graph = model.graph;
    const auto& pairless = plan.parameters.pairless;
    const auto wanted = [&](const Node& upper, const Node& lower) {
      return std::ranges::find(pairless, std::pair(upper.op_type, lower.op_type)) != pairless.end();
    };
    std::vector<Node*> dequantizers;
    for (const auto& node : graph.nodes()) {
      if (DequantizesTensor(*node)) dequantizers.push_back(node.get());
    }
    Effect effect = Effect::kUnchanged;
    for (Node* dequantizer : dequantizers) {
      Node* quantizer = graph.Producer(dequantizer->input(0));
      Node* lower = OnlyReader(graph, dequantizer->output());
      if (quantizer == nullptr || !QuantizesTensor(*quantizer) || lower == nullptr) continue;
      const std::string tensor = quantizer->input(0);
      const Node* upper = graph.Producer(tensor);
      if (upper == nullptr || !wanted(*upper, *lower)) continue;
      graph.ReplaceUses(dequantizer->output(), tensor);
      graph.RemoveNode(dequantizer);
      if (graph.UseCount(quantizer->output()) == 0) graph.RemoveNode(quantizer);
      effect = Effect::kChanged;
    }
    return effect;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeRemovePairsPass() { return std::make_unique<RemovePairs>(); }

}  // namespace preon
