#include <algorithm>

#include "passes/prepare.h"

namespace preon {
namespace {

Tensor Scaled(const Tensor& values, float factor) {
  Tensor scaled = Tensor::Allocate(DataType::kFloat, values.shape());
  std::transform(values.floats().begin(), values.floats().end(), scaled.Mutable<float>().begin(),
                 [factor](float value) { return value * factor; });
  return scaled;
}

// Multiplies a constant operand; a constant with other readers is copied first.
void ScaleOperand(Graph& graph, Node* node, size_t index, float factor) {
  const std::string& name = node->input(index);
  Tensor scaled = Scaled(*graph.Initializer(name), factor);
  const std::string target = graph.UseCount(name) == 1 ? name : graph.UniqueTensorName(name + "_scaled");
  graph.SetInitializer(target, std::move(scaled));
  graph.SetInput(node, index, target);
}

bool IsFloatConstant(const Graph& graph, const std::string& tensor) {
  const Tensor* constant = graph.Initializer(tensor);
  return constant != nullptr && constant->type() == DataType::kFloat;
}

// Elements of a bias that adds one value per column: [N], [1, N], [1, 1, N]… or a single value; 0 if it is none.
int64_t BiasLength(const Tensor& bias, int64_t columns) {
  const int64_t count = bias.count();
  const Shape& shape = bias.shape();
  const bool last_axis_only = shape.empty() || shape.back() == count;
  return last_axis_only && (count == columns || count == 1) ? count : 0;
}

void MergeOrigins(Node* into, const Node& from) {
  for (const std::string& origin : from.origins) {
    if (std::find(into->origins.begin(), into->origins.end(), origin) == into->origins.end())
      into->origins.push_back(origin);
  }
}

void ReplaceByGemm(Graph& graph, Node* matmul, Node* add, const std::string& bias) {
  const Tensor flat = graph.Initializer(bias)->Reshaped({graph.Initializer(bias)->count()});
  std::string bias_name = bias;
  if (graph.UseCount(bias) > 1) bias_name = graph.UniqueTensorName(bias + "_column");
  graph.SetInitializer(bias_name, flat);
  const std::string output = add->output();
  Node* gemm = graph.AddNode("Gemm", {matmul->input(0), matmul->input(1), bias_name},
                             {graph.UniqueTensorName(output + "_gemm")}, matmul->name + "_gemm", "", matmul);
  gemm->origins = matmul->origins;
  MergeOrigins(gemm, *add);
  graph.SetOutput(add, 0, graph.UniqueTensorName(output + "_unused"));
  graph.SetOutput(gemm, 0, output);
  graph.RemoveNode(add);
  graph.RemoveNode(matmul);
}

void LowerLinear(Graph& graph, Node* matmul) {
  const std::string& product = matmul->output();
  const Tensor* weight = graph.Initializer(matmul->input(1));
  const std::optional<Shape> data = graph.ShapeOf(matmul->input(0));
  if (weight == nullptr || weight->type() != DataType::kFloat || weight->shape().size() != 2 || !data) return;
  if (graph.UseCount(product) != 1 || graph.IsOutput(product) || graph.HasCapturedUse(product)) return;
  const Use reader = graph.Uses(product)[0];
  if (!reader.node->Is("Add")) return;
  const std::string bias = reader.node->input(1 - reader.input);
  if (!IsFloatConstant(graph, bias)) return;
  const int64_t length = BiasLength(*graph.Initializer(bias), weight->shape()[1]);
  if (length == 0 || graph.Initializer(bias)->shape().size() > data->size()) return;

  if (data->size() == 2) {
    ReplaceByGemm(graph, matmul, reader.node, bias);
  } else if (data->size() > 2 && graph.Initializer(bias)->shape().size() < 3) {
    const std::string wide = graph.UniqueTensorName(bias + "_wide");
    graph.SetInitializer(wide, graph.Initializer(bias)->Reshaped({1, 1, length}));
    graph.SetInput(reader.node, 1 - reader.input, wide);
  }
}

std::vector<Node*> NodesOfType(const Graph& graph, std::string_view type) {
  std::vector<Node*> nodes;
  for (const auto& node : graph.nodes()) {
    if (node->Is(type)) nodes.push_back(node.get());
  }
  return nodes;
}

}  // namespace

void FoldGemmScalars(Model& model) {
  Graph& graph = model.graph;
  for (Node* node : NodesOfType(graph, "Gemm")) {
    const float alpha = node->Float("alpha", 1);
    const float beta = node->Float("beta", 1);
    if (alpha != 1 && IsFloatConstant(graph, node->input(1))) {
      ScaleOperand(graph, node, 1, alpha);
      node->attributes.erase("alpha");
    }
    if (node->input(2).empty()) {
      node->attributes.erase("beta");
    } else if (beta != 1 && IsFloatConstant(graph, node->input(2))) {
      ScaleOperand(graph, node, 2, beta);
      node->attributes.erase("beta");
    }
  }
  graph.RemoveUnusedInitializers();
}

void LowerLinearLayers(Model& model) {
  for (Node* node : NodesOfType(model.graph, "MatMul")) LowerLinear(model.graph, node);
  model.graph.RemoveUnusedInitializers();
}

}  // namespace preon
