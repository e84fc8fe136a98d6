// dpu_leaky_relu: the slope of a LeakyRelu becomes what the DPU shifts by.
//
// Before:      y = LeakyRelu(x, alpha)
// After:       y = LeakyRelu(x, alpha')
// Conditions:  the plan quantizes the node.
// Formula:     alpha' = rne(256 alpha) / 256; 26/256 for 0.1, 3/256 for ONNX's default
// Why:         Quark's ConvertLeakyReluToDPUVersion.
#include <cmath>

#include "quantize/qdq_passes/dpu/dpu_factors.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

class DpuLeakyRelu final : public QdqPass {
 public:
  std::string_view name() const override { return "dpu_leaky_relu"; }
  std::vector<std::string_view> aliases() const override { return {"ConvertLeakyReluToDPUVersion"}; }
  std::string_view summary() const override { return "slopes of LeakyRelu become multiples of 1/256, as on the DPU"; }
  bool WantedBy(const QuantPlan& plan) const override { return plan.dpu.leaky_relu; }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan& plan, std::vector<std::string>&) const override {
    const QuantizedNodes quantized(plan);
    Effect effect = Effect::kUnchanged;
    for (const auto& node : model.graph.nodes()) {
      if (!node->Is("LeakyRelu") || !quantized.Contains(*node)) continue;
      const float alpha = node->Float("alpha", 0.01f);
      const auto rounded = static_cast<float>(std::nearbyint(256 * double{alpha}) / 256);
      if (rounded == alpha) continue;
      node->attributes["alpha"] = rounded;
      effect = Effect::kChanged;
    }
    return effect;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeDpuLeakyReluPass() { return std::make_unique<DpuLeakyRelu>(); }

}  // namespace preon
