// fold_shapes: what is known of a tensor's shape becomes a constant, even where other dimensions are dynamic.
//
// Before:      s = Shape(x) | Size(x);  d = Gather(Shape(x), i) | Slice(Shape(x), …)
// After:       initializer s or d
// Conditions:  the dimensions that are read are known; indices are constant; the result is no graph output.
// Formula:     s[k] = dim(x, k);  d = the dimensions that i or the slice selects
#include <algorithm>
#include <limits>

#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

int64_t FromEnd(int64_t index, int64_t size) { return index < 0 ? index + size : index; }

Shape Cut(const Shape& shape, int64_t start, int64_t end) {
  const auto size = static_cast<int64_t>(shape.size());
  start = std::clamp<int64_t>(FromEnd(start, size), 0, size);
  end = std::clamp<int64_t>(FromEnd(end, size), start, size);
  return Shape(shape.begin() + start, shape.begin() + end);
}

// The dimensions that a Shape node yields, kDynamicDim where unknown.
std::optional<Shape> ShapeElements(const Graph& graph, const Node* node) {
  if (node == nullptr || !node->Is("Shape")) return std::nullopt;
  const std::optional<Shape> shape = graph.ShapeOf(node->input(0));
  if (!shape.has_value()) return std::nullopt;
  return Cut(*shape, node->Int("start", 0), node->Int("end", std::numeric_limits<int64_t>::max()));
}

std::optional<Tensor> FoldGather(const Graph& graph, const Node& node) {
  const std::optional<Shape> dims = ShapeElements(graph, graph.Producer(node.input(0)));
  const std::optional<std::vector<int64_t>> indices = ConstantInts(graph, node.input(1));
  if (!dims.has_value() || !indices.has_value() || FromEnd(node.Int("axis", 0), 1) != 0) return std::nullopt;
  std::vector<int64_t> values;
  for (int64_t index : *indices) {
    const int64_t dim = FromEnd(index, static_cast<int64_t>(dims->size()));
    if (dim < 0 || dim >= static_cast<int64_t>(dims->size())) return std::nullopt;
    values.push_back((*dims)[static_cast<size_t>(dim)]);
  }
  return Tensor::FromInt64s(graph.Initializer(node.input(1))->shape(), values);
}

std::optional<Tensor> FoldSlice(const Graph& graph, const Node& node) {
  const std::optional<Shape> dims = ShapeElements(graph, graph.Producer(node.input(0)));
  const std::optional<std::vector<int64_t>> starts = IntsOf(graph, node, 1, "starts"),
                                            ends = IntsOf(graph, node, 2, "ends");
  const std::optional<std::vector<int64_t>> steps = ConstantInts(graph, node.input(4));
  if (!dims.has_value() || !starts.has_value() || !ends.has_value() || starts->size() != 1 || ends->size() != 1)
    return std::nullopt;
  if (!node.input(4).empty() && (!steps.has_value() || *steps != std::vector<int64_t>{1})) return std::nullopt;
  const Shape values = Cut(*dims, (*starts)[0], (*ends)[0]);
  return Tensor::FromInt64s({static_cast<int64_t>(values.size())}, values);
}

std::optional<Tensor> Fold(const Graph& graph, const Node& node) {
  if (node.Is("Gather")) return FoldGather(graph, node);
  if (node.Is("Slice")) return FoldSlice(graph, node);
  if (node.Is("Shape")) {
    const std::optional<Shape> dims = ShapeElements(graph, &node);
    if (!dims.has_value()) return std::nullopt;
    return Tensor::FromInt64s({static_cast<int64_t>(dims->size())}, *dims);
  }
  const std::optional<Shape> shape = graph.ShapeOf(node.input(0));  // Size
  if (!shape.has_value()) return std::nullopt;
  const int64_t count = ElementCount(*shape);
  return Tensor::FromInt64s({}, {&count, 1});
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
    const std::span<const int64_t> dims = value->As<int64_t>();
    if (std::find(dims.begin(), dims.end(), kDynamicDim) != dims.end()) return false;
    ReplaceByConstants(graph, node, {std::move(*value)});
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFoldShapesPass() { return std::make_unique<FoldShapes>(); }

}  // namespace preon
