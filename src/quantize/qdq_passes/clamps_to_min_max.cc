// clamps_to_min_max: a Clip or Relu in front of 4-bit codes, or between an integer MatMul and floats, becomes Max and
// Min.
//
// Before:      y = QuantizeLinear(Clip(x, a, b), s, z: int4 or uint4)
//              y = QuantizeLinear(Relu(x), s, z: int4 or uint4)
//              y = Relu(MatMul(DequantizeLinear(…), W)), which no QuantizeLinear reads alone
// After:       y = QuantizeLinear(Min(Max(x, a), b), s, z)
//              y = QuantizeLinear(Max(x, 0), s, z)
//              y = Max(MatMul(DequantizeLinear(…), W), 0)
// Conditions:  the Clip has a bound; of one that is missing, the operator is left out. Below the zero point of a Relu
//              are codes; with --compat quark it stays, as in Quark. Behind a MatMul: the plan is for this runtime
//              (QuantPlan::for_this_runtime).
// Formula:     -
// Why:         ONNX Runtime (1.30) merges Clip and Relu into QuantizeLinear at optimization level "basic" and knows no
//              zero points of 4 bits there: it does not load the model with the Clip, and drops the Relu as if there
//              were no codes for negative values. Behind a MatMul of codes it looks for a QuantizeLinear behind the
//              clamp, and where there is none it decodes data and weights in each run.
#include "passes/support/rewrite.h"
#include "quantize/qdq_passes/code_groups.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

// Of a QuantizeLinear to 4 bits; null where there is none that the runtime would misread.
Node* ClampInFrontOf(const Graph& graph, const Node& quantize, bool relus) {
  if (quantize.op_type != "QuantizeLinear" || quantize.inputs().size() < 3) return nullptr;
  const DataType codes = graph.TypeOf(quantize.input(2));
  if (codes != DataType::kInt4 && codes != DataType::kUInt4) return nullptr;
  Node* producer = graph.Producer(quantize.input(0));
  if (producer == nullptr || producer->Is("Clip")) return producer;
  if (!relus || !producer->Is("Relu")) return nullptr;
  const std::optional<IntegerCodes> known = IntegerCodesOf(graph, quantize.input(0));
  return known && RepresentableRange(known->params, known->format).min < 0 ? producer : nullptr;
}

// Of an integer MatMul, in float; null where there is none.
Node* ClampBehindMatMul(const Graph& graph, const Node& node) {
  if (!node.Is("MatMul") || !DequantizedFrom(graph, node.input(0)) || !DequantizedFrom(graph, node.input(1)))
    return nullptr;
  Node* clamp = OnlyReader(graph, node.output());
  const bool clamps = clamp != nullptr && (clamp->Is("Relu") || clamp->Is("Clip"));
  return clamps && OnlyQuantizer(graph, clamp->output()) == nullptr ? clamp : nullptr;
}

bool Replace(Graph& graph, Node* clip) {
  if (clip->Is("Relu")) {
    const std::string value = clip->input(0);
    Become(graph, *clip, "Max", {value, value}, {});
    SetConstantInput(graph, *clip, 1, Tensor::ScalarFloat(0), clip->name + "_zero");
    return true;
  }
  const auto bound = [&](size_t input) { return clip->inputs().size() > input ? clip->input(input) : ""; };
  const std::string value = clip->input(0), lowest = bound(1), highest = bound(2);
  if (lowest.empty() && highest.empty()) return false;
  if (highest.empty()) {
    Become(graph, *clip, "Max", {value, lowest}, {});
    return true;
  }
  if (lowest.empty()) {
    Become(graph, *clip, "Min", {value, highest}, {});
    return true;
  }
  const std::string raised = graph.UniqueTensorName(clip->output() + "_raised");
  Node* max = graph.AddNode("Max", {value, lowest}, {raised}, clip->name + "_Max", "", clip);
  max->home = clip->home;
  Become(graph, *clip, "Min", {raised, highest}, {});
  return true;
}

class ClampsToMinMax final : public QdqPass {
 public:
  std::string_view name() const override { return "clamps_to_min_max"; }
  std::string_view summary() const override {
    return "Clip and Relu in front of 4-bit codes, or behind an integer MatMul in float, become Max and Min";
  }
  bool WantedBy(const QuantPlan&) const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan& plan, std::vector<std::string>&) const override {
    std::vector<Node*> clamps;
    for (const auto& node : model.graph.nodes()) {
      if (Node* clamp = ClampBehindMatMul(model.graph, *node); clamp != nullptr && plan.for_this_runtime)
        clamps.push_back(clamp);
      if (Node* clamp = ClampInFrontOf(model.graph, *node, plan.compat != Compat::kQuark)) clamps.push_back(clamp);
    }
    bool changed = false;
    for (Node* clamp : clamps) {  // of two readers the second finds it done
      if (clamp->Is("Clip") || clamp->Is("Relu")) changed = Replace(model.graph, clamp) || changed;
    }
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeClampsToMinMaxPass() { return std::make_unique<ClampsToMinMax>(); }

}  // namespace preon
