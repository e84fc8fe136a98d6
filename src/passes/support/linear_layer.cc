#include "passes/support/linear_layer.h"

#include <algorithm>

#include "ir/constant_value.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

void SetMatrix(Graph& graph, const std::string& tensor, int64_t columns) {
  graph.SetInfo(tensor, {.type = DataType::kFloat, .shape = Shape{kDynamicDim, columns}});
}

}  // namespace

std::optional<std::vector<int64_t>> ReshapeTargetOf(const Graph& graph, const std::string& tensor) {
  const std::optional<Shape> shape = graph.ShapeOf(tensor);
  if (!shape || std::ranges::count(*shape, kDynamicDim) > 1 || std::ranges::find(*shape, 0) != shape->end())
    return std::nullopt;
  std::vector<int64_t> target(shape->begin(), shape->end());
  std::ranges::replace(target, kDynamicDim, int64_t{-1});
  return target;
}

std::optional<LinearLayer> MatchLinearLayer(const Graph& graph, Node& matmul) {
  const std::optional<Shape> x = graph.ShapeOf(matmul.input(0));
  Node* add = OnlyReader(graph, matmul.output());
  if (!x || x->size() < 3 || !IsFloatConstant(graph, matmul.input(1)) || add == nullptr || !add->Is("Add"))
    return std::nullopt;
  const Shape& weight = graph.Initializer(matmul.input(1))->shape();
  const std::string bias = OtherInput(*add, matmul.output());
  if (weight.size() != 2 || !IsFloatConstant(graph, bias) || graph.Initializer(bias)->shape() != Shape{weight[1]})
    return std::nullopt;
  const auto target = ReshapeTargetOf(graph, add->output());
  if (!target) return std::nullopt;
  return LinearLayer{&matmul, add, matmul.input(0), matmul.input(1), bias, *target};
}

std::string AddRows(Graph& graph, const LinearLayer& layer, const WrappedNames& names) {
  const int64_t columns = graph.Initializer(layer.weight)->shape()[0];
  const std::string rows = graph.UniqueTensorName(names.rows);
  const std::string target = AddIntsConstant(graph, names.rows_target, {-1, columns});
  graph.AddNode("Reshape", {layer.x, target}, {rows}, names.reshape, "", layer.matmul);
  SetMatrix(graph, rows, columns);
  return rows;
}

void WrapLayer(Graph& graph, const LinearLayer& layer, const std::string& rows, const std::string& weight,
               const WrappedNames& names, std::map<std::string, AttributeValue> attributes) {
  const std::string sums = graph.UniqueTensorName(names.sums);
  const std::string target = AddIntsConstant(graph, names.y_target, layer.target);
  Absorb(*layer.matmul, *layer.add);
  Become(graph, *layer.add, "Reshape", {sums, target}, {});
  graph.SetOutput(layer.matmul, 0, sums);
  Become(graph, *layer.matmul, "Gemm", {rows, weight, layer.bias}, std::move(attributes));
  SetMatrix(graph, sums, graph.Initializer(layer.bias)->shape()[0]);
}

}  // namespace preon
