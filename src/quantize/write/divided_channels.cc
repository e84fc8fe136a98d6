#include "quantize/write/divided_channels.h"

namespace preon {
namespace {

// Of each index along the axis: those beside each other share a factor where there are fewer factors.
Tensor Scaled(const Tensor& weight, size_t axis, std::span<const float> factors, bool divides) {
  const Shape& shape = weight.shape();
  size_t inner = 1;
  for (size_t behind = axis + 1; behind < shape.size(); ++behind) inner *= static_cast<size_t>(shape[behind]);
  const auto size = static_cast<size_t>(shape[axis]);
  const size_t share = size / factors.size();
  std::vector<float> values(weight.floats().begin(), weight.floats().end());
  for (size_t i = 0; i < values.size(); ++i) {
    const double factor = factors[i / inner % size / share];
    values[i] = static_cast<float>(values[i] * (divides ? 1 / factor : factor));
  }
  return Tensor::FromFloats(shape, values);
}

}  // namespace

Node* LayerBefore(const Graph& graph, const std::string& tensor) {
  Node* node = graph.Producer(tensor);
  return node != nullptr && (node->Is("Relu") || node->Is("Clip")) ? graph.Producer(node->input(0)) : node;
}

Tensor WithOutputsDivided(const Tensor& weight, std::span<const float> factors) {
  return Scaled(weight, 0, factors, true);
}

Tensor WithInputsMultiplied(const Tensor& weight, std::span<const float> factors) {
  const bool one_group = static_cast<size_t>(weight.shape()[1]) == factors.size();
  return Scaled(weight, one_group ? 1 : 0, factors, false);
}

void DivideChannels(Graph& graph, const DividedChannels& divided) {
  const Node& writer = *LayerBefore(graph, divided.tensor);
  const Node& reader = *graph.Uses(divided.tensor).front().node;
  for (size_t input = 1; input < writer.inputs().size(); ++input) {
    const std::string& constant = writer.input(input);
    if (!constant.empty())
      graph.SetInitializer(constant, WithOutputsDivided(*graph.Initializer(constant), divided.factors));
  }
  graph.SetInitializer(reader.input(1), WithInputsMultiplied(*graph.Initializer(reader.input(1)), divided.factors));
}

}  // namespace preon
