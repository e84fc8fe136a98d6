// convert_reduce_mean: a mean over height and width becomes GlobalAveragePool.
//
// Before:      y = ReduceMean(x) {axes = [2, 3], keepdims = 1}       (axes as attribute or constant input)
// After:       y = GlobalAveragePool(x)
// Conditions:  x: float, rank 4; axes in any order, counted from either end.
// Formula:     -
// Why:         compilers for NPUs have kernels for pools.
#include <algorithm>

#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

class ConvertReduceMean final : public NodePass {
 public:
  ConvertReduceMean()
      : NodePass({.name = "convert_reduce_mean",
                  .summary = "ReduceMean over height and width becomes GlobalAveragePool",
                  .target_ops = {"ReduceMean"},
                  .aliases = {"ConvertReduceMeanToGlobalAvgPool"},
                  .on_by_default = false}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    const std::optional<Shape> shape = graph.ShapeOf(node.input(0));
    std::optional<std::vector<int64_t>> axes = IntsOf(graph, node, 1, "axes");
    if (!shape || shape->size() != 4 || !axes || axes->size() != 2 || node.Int("keepdims", 1) != 1) return false;
    for (int64_t& axis : *axes) axis += axis < 0 ? 4 : 0;
    std::ranges::sort(*axes);
    if (*axes != std::vector<int64_t>{2, 3} || graph.TypeOf(node.input(0)) != DataType::kFloat) return false;
    Become(graph, node, "GlobalAveragePool", {node.input(0)}, {});
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeConvertReduceMeanPass() { return std::make_unique<ConvertReduceMean>(); }

}  // namespace preon
