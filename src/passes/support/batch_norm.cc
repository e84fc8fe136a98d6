#include "passes/support/batch_norm.h"

#include <array>
#include <cmath>

#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {

std::optional<ChannelAffine> MatchBatchNorm(const Graph& graph, const Node& node) {
  if (!node.Is("BatchNormalization") || node.outputs().size() != 1) return std::nullopt;
  if (node.Int("training_mode", 0) != 0 || node.Int("spatial", 1) == 0) return std::nullopt;
  std::array<std::span<const float>, 4> parameters;  // gamma, beta, mean, var
  for (size_t index = 0; index < parameters.size(); ++index) {
    const Tensor* constant = Constant(graph, node.input(index + 1));
    if (constant == nullptr || constant->type() != DataType::kFloat) return std::nullopt;
    parameters[index] = constant->floats();
    if (parameters[index].size() != parameters[0].size()) return std::nullopt;
  }
  const auto [gamma, beta, mean, var] = parameters;
  const double epsilon = node.Float("epsilon", 1e-5f);
  ChannelAffine affine;
  for (size_t channel = 0; channel < gamma.size(); ++channel) {
    const double deviation = std::sqrt(static_cast<double>(var[channel]) + epsilon);
    if (!(deviation > 0)) return std::nullopt;  // a broken export; folding would spread its NaN into weights
    affine.scale.push_back(gamma[channel] / deviation);
    affine.shift.push_back(beta[channel] - mean[channel] * affine.scale[channel]);
  }
  return affine;
}

bool BatchNormToConv(Graph& graph, Node& node) {
  const std::optional<ChannelAffine> affine = MatchBatchNorm(graph, node);
  const std::optional<Shape> shape = graph.ShapeOf(node.input(0));
  if (!affine.has_value() || !shape.has_value() || shape->size() < 3 || shape->size() > 5) return false;

  const int64_t channels = static_cast<int64_t>(affine->scale.size());
  Shape weight_shape(shape->size(), 1);
  weight_shape[0] = channels;
  const std::vector<float> weight(affine->scale.begin(), affine->scale.end());
  const std::vector<float> bias(affine->shift.begin(), affine->shift.end());
  Become(graph, node, "Conv", {node.input(0)},
         {{"group", channels}, {"kernel_shape", std::vector<int64_t>(shape->size() - 2, 1)}});
  SetConstantInput(graph, node, 1, Tensor::FromFloats(weight_shape, weight), node.name + "_weight");
  SetConstantInput(graph, node, 2, Tensor::FromFloats({channels}, bias), node.name + "_bias");
  return true;
}

}  // namespace preon
