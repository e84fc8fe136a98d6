// dpu_instance_normalization: an InstanceNormalization computes as the DPU does.
//
// Before:      y = InstanceNormalization(x, scale, bias)
// After:       y = com.amd.quark.ExtendedInstanceNormalization(x, scale, bias)
// Conditions:  the plan quantizes the node.
// Formula:     bfloat16 at every step (ops/dpu_instance_norm.h)
// Why:         Quark's ConvertInstanceNormToDPUVersion. The operator is in libpreon_ops.so.
#include "formats/quark_operators.h"
#include "passes/support/rewrite.h"
#include "quantize/qdq_passes/dpu/dpu_factors.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

class DpuInstanceNormalization final : public QdqPass {
 public:
  std::string_view name() const override { return "dpu_instance_normalization"; }
  std::vector<std::string_view> aliases() const override { return {"ConvertInstanceNormToDPUVersion"}; }
  std::string_view summary() const override {
    return "InstanceNormalization becomes the library's operator with the DPU's bfloat16 arithmetic";
  }
  bool WantedBy(const QuantPlan& plan) const override { return plan.dpu.instance_norm; }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan& plan, std::vector<std::string>&) const override {
    const QuantizedNodes quantized(plan);
    Effect effect = Effect::kUnchanged;
    for (const auto& node : model.graph.nodes()) {
      if (!node->Is("InstanceNormalization") || !quantized.Contains(*node)) continue;
      Become(model.graph, *node, kExtendedInstanceNormalization, node->inputs(),
             {{"epsilon", node->Float("epsilon", 1e-5f)}}, kQuarkDomain);
      model.opsets.emplace(kQuarkDomain, 1);
      effect = Effect::kChanged;
    }
    return effect;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeDpuInstanceNormalizationPass() { return std::make_unique<DpuInstanceNormalization>(); }

}  // namespace preon
