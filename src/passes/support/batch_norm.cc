#include "passes/support/batch_norm.h"

#include <array>
#include <cmath>

#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

using Parameters = std::array<std::span<const float>, 4>;  // gamma, beta, mean, var

template <typename Real>
std::optional<ChannelAffine> AffineOf(const Parameters& parameters, float epsilon) {
  const auto [gamma, beta, mean, var] = parameters;
  ChannelAffine affine;
  for (size_t channel = 0; channel < gamma.size(); ++channel) {
    const Real deviation = std::sqrt(Real{var[channel]} + Real{epsilon});
    if (!(deviation > 0)) return std::nullopt;  // a broken export; folding would spread its NaN into weights
    const Real scale = Real{gamma[channel]} / deviation, moved = Real{mean[channel]} * scale;
    affine.scale.push_back(scale);
    affine.shift.push_back(Real{beta[channel]} - moved);
  }
  return affine;
}

}  // namespace

std::optional<ChannelAffine> MatchBatchNorm(const Graph& graph, const Node& node, const Arithmetic& arithmetic) {
  if (!node.Is("BatchNormalization") || node.outputs().size() != 1) return std::nullopt;
  if (node.Int("training_mode", 0) != 0 || node.Int("spatial", 1) == 0) return std::nullopt;
  Parameters parameters;
  for (size_t index = 0; index < parameters.size(); ++index) {
    const Tensor* constant = Constant(graph, node.input(index + 1));
    if (constant == nullptr || constant->type() != DataType::kFloat) return std::nullopt;
    parameters[index] = constant->floats();
    if (parameters[index].size() != parameters[0].size()) return std::nullopt;
  }
  const float epsilon = node.Float("epsilon", arithmetic.missing_epsilon);
  return arithmetic.in_float ? AffineOf<float>(parameters, epsilon) : AffineOf<double>(parameters, epsilon);
}

bool BatchNormToConv(Graph& graph, Node& node, const Arithmetic& arithmetic) {
  const std::optional<ChannelAffine> affine = MatchBatchNorm(graph, node, arithmetic);
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
