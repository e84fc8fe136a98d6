// dedicate_dequantize: each reader of a quantized tensor gets its own DequantizeLinear.
//
// Before:      d = DequantizeLinear(c, s, z); A(d), B(d)
// After:       A(DequantizeLinear(c, s, z)), B(DequantizeLinear(c, s, z))
// Conditions:  several readers, graph outputs among them; sub-graphs and the first reader keep the node. Behind a
//              QuantizeLinear of a constant, each gets one of these too.
// Formula:     -
// Why:         Quark's DedicatedDQNode: compilers match one DequantizeLinear per operator.
#include "formats/quark_operators.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

bool DedicateDequantize(Graph& graph) {
  bool changed = false;
  std::vector<Node*> shared;
  for (const auto& node : graph.nodes()) {
    const bool dequantizes = node->op_type == "DequantizeLinear" || node->op_type == kExtendedDequantizeLinear;
    if (dequantizes && graph.UseCount(node->output()) > 1) shared.push_back(node.get());
  }
  for (Node* node : shared) {
    int count = graph.IsOutput(node->output()) ? 1 : 0;
    for (const Use& use : graph.Uses(node->output())) {
      if (use.captured || count++ == 0) continue;
      const std::string suffix = StrCat("_", count - 1), output = graph.UniqueTensorName(node->output() + suffix);
      std::vector<std::string> inputs = node->inputs();
      const Node* quantize = graph.Producer(inputs[0]);
      if (quantize != nullptr && graph.Initializer(quantize->input(0)) != nullptr) {
        const std::string codes = graph.UniqueTensorName(inputs[0] + suffix);
        graph.AddNode(quantize->op_type, quantize->inputs(), {codes}, quantize->name + suffix, quantize->domain)
            ->attributes = quantize->attributes;
        inputs[0] = codes;
      }
      graph.AddNode(node->op_type, inputs, {output}, node->name + suffix, node->domain)->attributes = node->attributes;
      graph.SetInput(use.node, use.input, output);
      changed = true;
    }
  }
  return changed;
}

class DedicateDequantizePass final : public QdqPass {
 public:
  std::string_view name() const override { return "dedicate_dequantize"; }
  std::vector<std::string_view> aliases() const override { return {"DedicatedDQNode"}; }
  std::string_view summary() const override {
    return "each reader of a quantized tensor gets its own DequantizeLinear";
  }
  bool WantedBy(const QuantPlan& plan) const override { return plan.dedicated_dequantize; }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    return DedicateDequantize(model.graph) ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeDedicateDequantizePass() { return std::make_unique<DedicateDequantizePass>(); }

}  // namespace preon
