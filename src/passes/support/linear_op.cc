#include "passes/support/linear_op.h"

#include <algorithm>

#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

bool IsIdentityScale(const LinearOp& linear, std::span<const double> scale) {
  return std::all_of(scale.begin(), scale.end(), [&](double s) { return s * linear.alpha == 1.0; });
}

// The weight lies as [outer][channels of a group][inner]; with groups, equal parts of `outer` belong to each group.
Tensor ScaleWeight(const Tensor& weight, const LinearOp& linear, std::span<const double> scale) {
  Tensor scaled = Tensor::Allocate(DataType::kFloat, weight.shape());
  const std::span<const float> from = weight.floats();
  const std::span<float> to = scaled.Mutable<float>();
  const Shape& shape = weight.shape();
  const int64_t group_channels = shape[linear.weight_axis];
  const int64_t outer =
      ElementCount(Shape(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(linear.weight_axis)));
  const int64_t inner = outer * group_channels == 0 ? 0 : weight.count() / (outer * group_channels);
  size_t element = 0;
  for (int64_t row = 0; row < outer; ++row) {
    const int64_t first_channel = row / (outer / linear.groups) * group_channels;
    for (int64_t channel = first_channel; channel < first_channel + group_channels; ++channel) {
      const double factor = scale[static_cast<size_t>(channel)] * linear.alpha;
      for (int64_t k = 0; k < inner; ++k, ++element) to[element] = static_cast<float>(from[element] * factor);
    }
  }
  return scaled;
}

}  // namespace

std::optional<LinearOp> MatchLinear(const Graph& graph, Node* node) {
  if (node == nullptr || !(node->Is("Conv") || node->Is("ConvTranspose") || node->Is("Gemm"))) return std::nullopt;
  const Tensor* weight = Constant(graph, node->input(1));
  if (weight == nullptr || weight->type() != DataType::kFloat || weight->shape().size() < 2) return std::nullopt;

  LinearOp linear{.node = node, .output_rank = weight->shape().size()};
  double beta = 1;
  if (node->Is("Gemm")) {
    linear.weight_axis = node->Int("transB", 0) != 0 ? 0 : 1;
    linear.alpha = node->Float("alpha", 1);
    beta = node->Float("beta", 1);
  } else if (node->Is("ConvTranspose")) {
    linear.weight_axis = 1;
    linear.groups = node->Int("group", 1);
    if (linear.groups < 1 || weight->shape()[0] % linear.groups != 0) return std::nullopt;
  }
  linear.channels = weight->shape()[linear.weight_axis] * linear.groups;

  const std::string& bias = node->input(2);
  if (bias.empty()) {
    linear.bias.assign(static_cast<size_t>(linear.channels), 0.0);
    return linear;
  }
  // Conv's bias is [C]; Gemm's C may be anything that broadcasts to [M, N], of which only rows and scalars are biases.
  const std::optional<std::vector<double>> values = ConstantPerChannel(graph, bias, 2, 1, linear.channels);
  if (!values.has_value()) return std::nullopt;
  for (double value : *values) linear.bias.push_back(beta * value);
  return linear;
}

std::optional<LinearOp> MatchLinearBehind(const Graph& graph, std::string_view tensor) {
  return OnlyReader(graph, tensor) == nullptr ? std::nullopt : MatchLinear(graph, graph.Producer(tensor));
}

void FoldAffine(Graph& graph, const LinearOp& linear, const ChannelAffine& affine) {
  Node& node = *linear.node;
  if (!IsIdentityScale(linear, affine.scale)) {
    const Tensor& weight = *graph.Initializer(node.input(1));
    SetConstantInput(graph, node, 1, ScaleWeight(weight, linear, affine.scale), node.name + "_weight");
  }
  node.attributes.erase("alpha");
  node.attributes.erase("beta");

  Tensor bias = Tensor::Allocate(DataType::kFloat, {linear.channels});
  for (size_t channel = 0; channel < linear.bias.size(); ++channel) {
    bias.Mutable<float>()[channel] =
        static_cast<float>(affine.scale[channel] * linear.bias[channel] + affine.shift[channel]);
  }
  SetConstantInput(graph, node, 2, std::move(bias), node.name + "_bias");
}

}  // namespace preon
