// dpu_average_pool: averages over windows are sums times the DPU's approximation of 1 / count.
//
// Before:      y = AveragePool(x, kernel k x k), y = GlobalAveragePool(x: [N, C, k, k])
// After:       y = Mul(AveragePool(x), F(k))
// Conditions:  the plan quantizes the node; two spatial dimensions, equal and known. Others stay, with a warning.
// Formula:     F(k) = k^2 m / 2^n (DpuPoolFactor)
// Why:         Quark's ConvertAvgPoolToDPUVersion.
#include "quantize/qdq_passes/dpu/dpu_factors.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

// Side of the square that it averages over; why there is none.
Result<int64_t> Side(InferredShapes& shapes, const Node& node) {
  std::vector<int64_t> window = node.Ints("kernel_shape");
  if (node.Is("GlobalAveragePool")) {
    const std::optional<Shape> shape = shapes.Of(node.input(0));
    if (!shape) return Error(ErrorId::kPassFailed, "the shape of its input is not known");
    window.assign(shape->begin() + std::min<std::ptrdiff_t>(2, std::ssize(*shape)), shape->end());
  }
  if (window.size() != 2 || window[0] != window[1] || window[0] <= 0)
    return Error(ErrorId::kPassFailed, "its window is not a square of known size");
  return window[0];
}

class DpuAveragePool final : public QdqPass {
 public:
  std::string_view name() const override { return "dpu_average_pool"; }
  std::vector<std::string_view> aliases() const override { return {"ConvertAvgPoolToDPUVersion"}; }
  std::string_view summary() const override {
    return "average pools are multiplied by k*k*m/2^n, by which the DPU approximates 1";
  }
  bool WantedBy(const QuantPlan& plan) const override { return plan.dpu.average_pool; }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan& plan, std::vector<std::string>& warnings) const override {
    const QuantizedNodes quantized(plan);
    InferredShapes shapes(model);
    std::vector<std::pair<Node*, double>> factors;
    for (const auto& node : model.graph.nodes()) {
      if ((!node->Is("AveragePool") && !node->Is("GlobalAveragePool")) || !quantized.Contains(*node)) continue;
      const Result<int64_t> side = Side(shapes, *node);
      if (side.ok())
        factors.emplace_back(node.get(), DpuPoolFactor(*side));
      else
        warnings.push_back(
            StrCat("ConvertAvgPoolToDPUVersion: node '", node->name, "' stays as it is: ", side.status().message()));
    }
    bool changed = false;
    for (const auto& [node, factor] : factors) changed = ScaleOutput(model.graph, *node, factor) || changed;
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeDpuAveragePoolPass() { return std::make_unique<DpuAveragePool>(); }

}  // namespace preon
