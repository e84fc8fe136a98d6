// dpu_reduce_mean: means are sums times the DPU's approximation of 1 / count.
//
// Before:      y = ReduceMean(x, axes)
// After:       y = Mul(ReduceMean(x), F)
// Conditions:  the plan quantizes the node; axes and reduced dimensions are known. Others stay, with a warning.
// Formula:     F = count m / 2^n (DpuFactor)
// Why:         Quark's ConvertReduceMeanToDPUVersion.
#include "passes/support/match.h"
#include "quantize/qdq_passes/dpu/dpu_factors.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

// How many values it averages; nullopt where that is not known.
std::optional<int64_t> Count(const Graph& graph, InferredShapes& shapes, const Node& node) {
  const std::optional<Shape> shape = shapes.Of(node.input(0));
  const bool given = !node.input(1).empty() || node.Has("axes");
  const std::optional<std::vector<int64_t>> axes = IntsOf(graph, node, 1, "axes");
  if (!shape || (given && !axes)) return std::nullopt;
  const auto rank = static_cast<int64_t>(shape->size());
  std::set<int64_t> reduced;
  if (axes) reduced.insert(axes->begin(), axes->end());
  if (reduced.empty()) {
    if (node.Int("noop_with_empty_axes", 0) != 0) return std::nullopt;
    for (int64_t axis = 0; axis < rank; ++axis) reduced.insert(axis);
  }
  int64_t count = 1;
  for (const int64_t axis : reduced) {
    const int64_t extent = (*shape)[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
    if (extent <= 0) return std::nullopt;
    count *= extent;
  }
  return count;
}

class DpuReduceMean final : public QdqPass {
 public:
  std::string_view name() const override { return "dpu_reduce_mean"; }
  std::vector<std::string_view> aliases() const override { return {"ConvertReduceMeanToDPUVersion"}; }
  std::string_view summary() const override {
    return "ReduceMean is multiplied by count*m/2^n, by which the DPU approximates 1";
  }
  bool WantedBy(const QuantPlan& plan) const override { return plan.dpu.reduce_mean; }
  bool changes_results() const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan& plan, std::vector<std::string>& warnings) const override {
    const QuantizedNodes quantized(plan);
    InferredShapes shapes(model);
    std::vector<std::pair<Node*, double>> factors;
    for (const auto& node : model.graph.nodes()) {
      if (!node->Is("ReduceMean") || !quantized.Contains(*node)) continue;
      if (const std::optional<int64_t> count = Count(model.graph, shapes, *node))
        factors.emplace_back(node.get(), DpuFactor(*count));
      else
        warnings.push_back(StrCat("ConvertReduceMeanToDPUVersion: node '", node->name,
                                  "' stays as it is: how many values it averages is not known"));
    }
    bool changed = false;
    for (const auto& [node, factor] : factors) changed = ScaleOutput(model.graph, *node, factor) || changed;
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeDpuReduceMeanPass() { return std::make_unique<DpuReduceMean>(); }

}  // namespace preon
