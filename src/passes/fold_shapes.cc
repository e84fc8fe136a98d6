// fold_shapes: what is known of a tensor's shape becomes a constant, even where other dimensions are dynamic.
//
// Before:      s = Shape(x) | Size(x);  d = Gather(s, i) | Slice(s, …), also behind Unsqueeze and Concat of such
// After:       initializer s or d
// Conditions:  the dimensions that are read are known; indices are constant; the result is no graph output.
// Formula:     s[k] = dim(x, k);  d = the dimensions that i or the slice selects
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/dims.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

std::optional<Tensor> Fold(const Graph& graph, const Node& node) {
  if (node.Is("Size")) {
    const std::optional<Shape> shape = graph.ShapeOf(node.input(0));
    if (!shape || !IsStatic(*shape)) return std::nullopt;
    const int64_t count = ElementCount(*shape);
    return Tensor::FromInt64s({}, {&count, 1});
  }
  const std::optional<std::vector<DimElement>> elements = DimElementsOf(graph, node.output());
  if (!elements) return std::nullopt;
  std::vector<int64_t> values;
  for (const DimElement& element : *elements) {
    if (!element.is_known()) return std::nullopt;
    values.push_back(element.value);
  }
  if (node.Is("Gather")) return Tensor::FromInt64s(graph.Initializer(node.input(1))->shape(), values);
  return Tensor::FromInt64s({static_cast<int64_t>(values.size())}, values);
}

class FoldShapes final : public NodePass {
 public:
  FoldShapes()
      : NodePass({.name = "fold_shapes",
                  .summary = "known dimensions become constants",
                  .target_ops = {"Shape", "Size", "Gather", "Slice"}}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    if (graph.IsOutput(node.output())) return false;
    std::optional<Tensor> value = Fold(graph, node);
    if (!value.has_value()) return false;
    ReplaceByConstants(graph, node, {std::move(*value)});
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFoldShapesPass() { return std::make_unique<FoldShapes>(); }

}  // namespace preon
