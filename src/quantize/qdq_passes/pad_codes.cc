// pad_codes: a Pad between equal codes pads the codes.
//
// Before:      y = QuantizeLinear(Pad(DequantizeLinear(c, s, z), pads), s, z)
// After:       y = Pad(c, pads, z)
// Conditions:  the plan is for_this_runtime; 8-bit codes of one scale; mode edge, reflect or wrap, or constant with the
//              value 0; the QuantizeLinear is the only reader of the Pad.
// Formula:     z is the code of 0
// Why:         the runtime (1.30) does not move Pad between the codes, as it does Slice and others: it decodes, pads
//              four times the bytes and encodes again.
#include "passes/support/rewrite.h"
#include "quantize/plan/op_traits.h"
#include "quantize/qdq_passes/code_groups.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

bool Move(Graph& graph, Node& pad) {
  if (!pad.Is("Pad") || !PadsWithZeroOrOwn(graph, pad)) return false;
  const std::optional<CodedTensor> before = DequantizedFrom(graph, pad.input(0)),
                                   behind = QuantizedInto(graph, pad.output());
  if (!before || !behind || !before->is_byte() || !SameMeaning(graph, *before, *behind)) return false;
  Node *quantize = OnlyQuantizer(graph, pad.output()), *dequantize = graph.Producer(pad.input(0));
  const std::string codes = quantize->output();
  graph.SetInput(&pad, 0, before->codes);
  if (pad.String("mode", "constant") == "constant") graph.SetInput(&pad, 2, before->zero_point);
  graph.SetOutput(quantize, 0, graph.UniqueTensorName(codes + "_unused"));
  graph.SetOutput(&pad, 0, codes);
  graph.RemoveNode(quantize);
  if (graph.UseCount(dequantize->output()) == 0) graph.RemoveNode(dequantize);
  return true;
}

class PadCodes final : public QdqPass {
 public:
  std::string_view name() const override { return "pad_codes"; }
  std::string_view summary() const override { return "a Pad between equal 8-bit codes pads the codes"; }
  bool WantedBy(const QuantPlan& plan) const override { return plan.for_this_runtime; }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    std::vector<Node*> pads;
    for (const auto& node : model.graph.nodes())
      if (node->Is("Pad")) pads.push_back(node.get());
    bool changed = false;
    for (Node* pad : pads) changed = Move(model.graph, *pad) || changed;
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakePadCodesPass() { return std::make_unique<PadCodes>(); }

}  // namespace preon
