// int32_biases: biases get the codes that integer kernels add.
//
// Before:      y = Conv(DequantizeLinear(x, sx, zx), DequantizeLinear(w, sw, zw), b)      b: float, or other codes
// After:       y = Conv(DequantizeLinear(x, sx, zx), DequantizeLinear(w, sw, zw), DequantizeLinear(c: int32, sx * sw))
// Conditions:  Conv or Gemm; one scale for the data; constant scales; zero points of the bias are 0; the codes fit.
// Formula:     c = round half to even(b / (sx * sw))
// Why:         the runtime computes the whole node in float otherwise (docs/design/placement.md). The step is that of
//              one product, so results change by less than one step of the accumulator.
#include "quantize/qdq_passes/qdq_passes.h"
#include "quantize/qdq_passes/qoperator_bias.h"

namespace preon {
namespace {

class Int32Biases final : public QdqPass {
 public:
  std::string_view name() const override { return "int32_biases"; }
  std::string_view summary() const override {
    return "biases of quantized Conv and Gemm nodes get int32 codes with the scale input scale x weight scale";
  }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    std::vector<Node*> nodes;
    for (const auto& node : model.graph.nodes()) {
      if (node->Is("Conv") || node->Is("Gemm")) nodes.push_back(node.get());
    }
    bool changed = false;
    for (Node* node : nodes) changed = GiveInt32Bias(model.graph, *node) || changed;
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeInt32BiasesPass() { return std::make_unique<Int32Biases>(); }

}  // namespace preon
