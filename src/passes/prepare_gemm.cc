#include <map>

#include "passes/prepare.h"

namespace preon {
namespace {

Tensor Transposed(const Tensor& matrix) {
  const auto rows = static_cast<size_t>(matrix.shape()[0]), columns = static_cast<size_t>(matrix.shape()[1]);
  Tensor result = Tensor::Allocate(DataType::kFloat, {matrix.shape()[1], matrix.shape()[0]});
  const std::span<const float> from = matrix.floats();
  const std::span<float> to = result.Mutable<float>();
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < columns; ++column) to[column * rows + row] = from[row * columns + column];
  }
  return result;
}

bool Splits(const Graph& graph, const Node& node) {
  const Tensor* weight = graph.Initializer(node.input(1));
  return node.Is("Gemm") && weight != nullptr && weight->type() == DataType::kFloat && weight->shape().size() == 2 &&
         node.Int("transA", 0) == 0 && node.Float("alpha", 1) == 1 && node.Float("beta", 1) == 1;
}

// The weight as MatMul reads it. Nodes that share one share the transposed one too.
std::string WeightOf(Graph& graph, const Node& gemm, std::map<std::string, std::string>& transposed) {
  const std::string& weight = gemm.input(1);
  if (gemm.Int("transB", 0) == 0) return weight;
  const auto [entry, fresh] = transposed.try_emplace(weight);
  if (fresh) {
    entry->second = graph.UniqueTensorName(weight + "_Transposed");
    graph.SetInitializer(entry->second, Transposed(*graph.Initializer(weight)));
  }
  return entry->second;
}

void SplitIntoMatMulAndAdd(Graph& graph, Node* gemm, const std::string& weight) {
  const std::string y = gemm->output(), bias = gemm->input(2);
  const std::string product = bias.empty() ? y : graph.UniqueTensorName(y + "_MatMul");
  Node* matmul = graph.AddNode("MatMul", {gemm->input(0), weight}, {product}, gemm->name + "_MatMul", "", gemm);
  if (const ValueInfo* info = graph.Info(y); info != nullptr && product != y) graph.SetInfo(product, *info);
  matmul->origins = gemm->origins;
  matmul->home = gemm->home;
  if (!bias.empty()) {
    Node* add = graph.AddNode("Add", {product, bias}, {y}, gemm->name + "_Add", "", gemm);
    add->origins = gemm->origins;
    add->home = gemm->home;
  }
  graph.RemoveNode(gemm);
}

}  // namespace

void SplitGemm(Model& model, const std::function<bool(const Node&)>& wanted) {
  Graph& graph = model.graph;
  std::vector<Node*> gemms;
  for (const auto& node : graph.nodes()) {
    if (Splits(graph, *node) && wanted(*node)) gemms.push_back(node.get());
  }
  std::map<std::string, std::string> transposed;
  for (Node* gemm : gemms) SplitIntoMatMulAndAdd(graph, gemm, WeightOf(graph, *gemm, transposed));
  // A weight that nobody reads as it was gives its name to the transposed one.
  for (const auto& [weight, copy] : transposed) {
    if (graph.UseCount(weight) > 0) continue;
    graph.SetInitializer(weight, *graph.Initializer(copy));
    graph.ReplaceUses(copy, weight);
  }
  graph.RemoveUnusedInitializers();
}

}  // namespace preon
