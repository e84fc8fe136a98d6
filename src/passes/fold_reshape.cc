// fold_reshape: a Reshape that keeps dimensions which are not known says so, instead of computing them in each run.
//
// Before:      y = Reshape(x, Concat(Unsqueeze(Gather(Shape(t), i)), 3, -1)), and like forms (dims.h)
// After:       y = Reshape(x, [0, 3, -1])
// Conditions:  each element is a constant, or a dimension of some tensor that always equals the dimension of x at the
//              same place; allowzero is 0.
// Formula:     0 in the target keeps the dimension of x
// Why:         exporters write reshapes for any batch that way; Shape, Gather, Unsqueeze and Concat take a tenth of the
//              time of a small transformer.
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/dims.h"
#include "passes/support/match.h"

namespace preon {
namespace {

class FoldReshape final : public NodePass {
 public:
  FoldReshape()
      : NodePass({.name = "fold_reshape",
                  .summary = "a Reshape keeps dynamic dimensions by a 0 in its target instead of computing their size",
                  .target_ops = {"Reshape"},
                  .on_by_default = false}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    if (Constant(graph, node.input(1)) != nullptr || node.Int("allowzero", 0) != 0) return false;
    const std::optional<std::vector<DimElement>> target = DimElementsOf(graph, node.input(1));
    const std::optional<Shape> shape = graph.ShapeOf(node.input(0));
    if (!target || !shape) return false;
    std::vector<int64_t> values;
    for (size_t axis = 0; axis < target->size(); ++axis) {
      const DimElement& element = (*target)[axis];
      values.push_back(element.is_known() ? element.value : 0);
      if (element.is_known()) continue;
      if (axis >= shape->size()) return false;
      if (OriginOf(graph, *element.from) != OriginOf(graph, {node.input(0), axis})) return false;
    }
    graph.SetInput(&node, 1, AddIntsConstant(graph, node.output() + "_target", values));
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFoldReshapePass() { return std::make_unique<FoldReshape>(); }

}  // namespace preon
