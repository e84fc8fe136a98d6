#include "algorithms/stream_layers.h"

#include "algorithms/scaled_layer.h"

namespace preon {
namespace {

// The Add of a constant per output behind a MatMul, where nothing else reads the product.
Node* BiasBehind(const Graph& graph, const Node& layer, int64_t outputs) {
  const std::vector<Use> uses = graph.Uses(layer.output());
  if (uses.size() != 1 || uses[0].captured || graph.IsOutput(layer.output()) || !uses[0].node->Is("Add"))
    return nullptr;
  const Tensor* bias = FloatConstant(graph, uses[0].node->input(1 - uses[0].input));
  const bool along = bias != nullptr && bias->count() == outputs && bias->shape().back() == outputs;
  return along ? uses[0].node : nullptr;
}

}  // namespace

bool IsLayer(const Graph& graph, const Node& node) {
  const bool gemm =
      node.Is("Gemm") && node.Int("transA", 0) == 0 && node.Float("alpha", 1) == 1 && node.Float("beta", 1) == 1;
  const Tensor* weight = FloatConstant(graph, node.input(1));
  return (node.Is("MatMul") || gemm) && weight != nullptr && weight->shape().size() == 2;
}

bool OutputsInRows(const Node& node) { return node.Is("Gemm") && node.Int("transB", 0) != 0; }

std::optional<size_t> TableInput(const Graph& graph, const Node& node) {
  if (node.Is("Gather") || node.Is("Slice") || node.Is("Identity"))
    return FloatConstant(graph, node.input(0)) != nullptr ? std::optional<size_t>(0) : std::nullopt;
  if (!node.Is("Add")) return std::nullopt;
  for (const size_t input : {1, 0}) {
    if (FloatConstant(graph, node.input(input)) != nullptr) return input;
  }
  return std::nullopt;
}

int64_t StreamOutputs(const Graph& graph, const Node& writer) {
  if (const std::optional<size_t> table = TableInput(graph, writer))
    return graph.Initializer(writer.input(*table))->shape().back();
  return graph.Initializer(writer.input(1))->shape()[OutputsInRows(writer) ? 0 : 1];
}

int64_t StreamInputs(const Graph& graph, const Node& reader) {
  return graph.Initializer(reader.input(1))->shape()[OutputsInRows(reader) ? 1 : 0];
}

BiasPlace BiasOf(const Graph& graph, Node& layer, int64_t outputs) {
  if (layer.Is("Gemm")) return layer.input(2).empty() ? BiasPlace() : BiasPlace{&layer, 2};
  Node* add = BiasBehind(graph, layer, outputs);
  if (add == nullptr) return {};
  return {add, size_t{add->input(0) == layer.output() ? 1U : 0U}};
}

}  // namespace preon
