#include <cmath>
#include <string>
#include <vector>

#include "quantize/op_traits.h"
#include "quantize/prepare.h"

namespace preon {
namespace {

// A convolution with constant weight reads the tensor, directly or behind one Relu/Clip.
bool FeedsConv(const Graph& graph, const std::string& tensor) {
  for (const Use& use : graph.Uses(tensor)) {
    if (use.captured) continue;
    if (use.node->Is("Conv") && use.input == 0 && graph.Initializer(use.node->input(1)) != nullptr) return true;
    if (!ClampBounds(graph, *use.node)) continue;
    for (const Use& behind : graph.Uses(use.node->output())) {
      if (behind.node->Is("Conv") && behind.input == 0) return true;
    }
  }
  return false;
}

void LowerToConv(Graph& graph, Node* norm, size_t rank) {
  const Tensor* operands[4];
  for (size_t index = 0; index < 4; ++index) {
    operands[index] = graph.Initializer(norm->input(index + 1));
    if (operands[index] == nullptr || operands[index]->type() != DataType::kFloat) return;
  }
  const auto scale = operands[0]->floats(), shift = operands[1]->floats();
  const auto mean = operands[2]->floats(), variance = operands[3]->floats();
  const double epsilon = norm->Float("epsilon", 1e-5f);
  const size_t channels = scale.size();
  std::vector<float> weight(channels), bias(channels);
  for (size_t channel = 0; channel < channels; ++channel) {
    const double factor = scale[channel] / std::sqrt(static_cast<double>(variance[channel]) + epsilon);
    weight[channel] = static_cast<float>(factor);
    bias[channel] = static_cast<float>(shift[channel] - mean[channel] * factor);
  }
  Shape weight_shape(rank, 1);
  weight_shape[0] = static_cast<int64_t>(channels);

  const std::string output = norm->output();
  const std::string weight_name = graph.UniqueTensorName(output + "_weight");
  const std::string bias_name = graph.UniqueTensorName(output + "_bias");
  graph.SetInitializer(weight_name, Tensor::FromFloats(weight_shape, weight));
  graph.SetInitializer(bias_name, Tensor::FromFloats({static_cast<int64_t>(channels)}, bias));
  Node* conv = graph.AddNode("Conv", {norm->input(0), weight_name, bias_name}, {graph.UniqueTensorName(output + "_conv")},
                             norm->name + "_conv", "", norm);
  conv->attributes["group"] = static_cast<int64_t>(channels);
  conv->attributes["kernel_shape"] = std::vector<int64_t>(rank - 2, 1);
  conv->origins = norm->origins;
  graph.SetOutput(norm, 0, graph.UniqueTensorName(output + "_unused"));
  graph.SetOutput(conv, 0, output);
  graph.RemoveNode(norm);
}

}  // namespace

void LowerBatchNorm(Model& model) {
  Graph& graph = model.graph;
  std::vector<Node*> norms;
  for (const auto& node : graph.nodes()) {
    if (node->Is("BatchNormalization") && node->Int("training_mode", 0) == 0 && node->outputs().size() == 1) norms.push_back(node.get());
  }
  for (Node* norm : norms) {
    const std::optional<Shape> shape = graph.ShapeOf(norm->input(0));
    if (shape && shape->size() >= 3 && shape->size() <= 5 && FeedsConv(graph, norm->output())) LowerToConv(graph, norm, shape->size());
  }
  graph.RemoveUnusedInitializers();
}

}  // namespace preon
