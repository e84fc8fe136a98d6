// dpu_hard_sigmoid: a HardSigmoid gets the slope that the DPU has.
//
// Before:      y = HardSigmoid(x, alpha = 1/6, beta = 1/2)
// After:       y = Mul(HardSigmoid(x), 1.0001220703125)
// Conditions:  its alpha is given as 1/6, its beta is 1/2.
// Formula:     (2731 / 2^14) / (1/6) = 16386 / 16384
// Why:         Quark's ConvertHardSigmoidToDPUVersion. Behind dpu_sigmoid, which makes some.
#include "quantize/plan/dpu_operators.h"
#include "quantize/qdq_passes/dpu/dpu_factors.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

constexpr double kFactor = 6 * 2731 / 16384.0;

class DpuHardSigmoid final : public QdqPass {
 public:
  std::string_view name() const override { return "dpu_hard_sigmoid"; }
  std::vector<std::string_view> aliases() const override { return {"ConvertHardSigmoidToDPUVersion"}; }
  std::string_view summary() const override {
    return "HardSigmoid(1/6 x + 0.5) is multiplied by 16386/16384, as on the DPU";
  }
  bool WantedBy(const QuantPlan& plan) const override { return plan.dpu.hard_sigmoid; }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    std::vector<Node*> nodes;
    for (const auto& node : model.graph.nodes()) {
      if (IsDpuHardSigmoid(*node)) nodes.push_back(node.get());
    }
    bool changed = false;
    for (Node* node : nodes) changed = ScaleOutput(model.graph, *node, kFactor) || changed;
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeDpuHardSigmoidPass() { return std::make_unique<DpuHardSigmoid>(); }

}  // namespace preon
