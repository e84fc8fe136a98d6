// dpu_sigmoid: a Sigmoid becomes the HardSigmoid that the DPU has.
//
// Before:      y = Sigmoid(x)
// After:       y = HardSigmoid(x, alpha = 1/6)
// Conditions:  the plan quantizes the node.
// Formula:     y = min(max(x / 6 + 1/2, 0), 1)
// Why:         Quark's ConvertSigmoidToHardSigmoid. The approximation is up to 0.08 away: a large part of what XINT8
// costs.
#include "passes/support/rewrite.h"
#include "quantize/qdq_passes/dpu/dpu_factors.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

class DpuSigmoid final : public QdqPass {
 public:
  std::string_view name() const override { return "dpu_sigmoid"; }
  std::vector<std::string_view> aliases() const override { return {"ConvertSigmoidToHardSigmoid"}; }
  std::string_view summary() const override {
    return "Sigmoid becomes HardSigmoid(1/6 x + 0.5), as on the DPU: up to 0.08 away";
  }
  bool WantedBy(const QuantPlan& plan) const override { return plan.dpu.sigmoid; }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan& plan, std::vector<std::string>&) const override {
    const QuantizedNodes quantized(plan);
    Effect effect = Effect::kUnchanged;
    for (const auto& node : model.graph.nodes()) {
      if (!node->Is("Sigmoid") || !quantized.Contains(*node)) continue;
      Become(model.graph, *node, "HardSigmoid", {node->input(0)}, {{"alpha", 1.0f / 6}});
      effect = Effect::kChanged;
    }
    return effect;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeDpuSigmoidPass() { return std::make_unique<DpuSigmoid>(); }

}  // namespace preon
