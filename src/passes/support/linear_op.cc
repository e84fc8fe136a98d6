#include "passes/support/linear_op.h"

#include <algorithm>

#include "passes/support/match.h"
#include "passes/support/moves.h"
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

const Tensor* FloatWeight(const Graph& graph, const Node& node) {
  const Tensor* weight = Constant(graph, node.input(1));
  if (weight == nullptr || weight->type() != DataType::kFloat || weight->shape().size() < 2) return nullptr;
  return weight;
}

std::optional<LinearOp> MatchOneNode(const Graph& graph, Node* node) {
  if (!node->Is("Conv") && !node->Is("ConvTranspose") && !node->Is("Gemm")) return std::nullopt;
  const Tensor* weight = FloatWeight(graph, *node);
  if (weight == nullptr) return std::nullopt;

  LinearOp linear{.node = node, .bias_node = node, .rank = weight->shape().size(), .channel_axis = 1};
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

std::optional<LinearOp> MatchMatMul(const Graph& graph, Node* node) {
  const std::optional<Shape> shape = graph.ShapeOf(node->output());
  const Tensor* weight = FloatWeight(graph, *node);
  if (weight == nullptr || weight->shape().size() != 2 || !shape || shape->empty()) return std::nullopt;
  const int64_t channels = weight->shape()[1];
  return LinearOp{.node = node,
                  .rank = shape->size(),
                  .channel_axis = shape->size() - 1,
                  .channels = channels,
                  .weight_axis = 1,
                  .bias = std::vector<double>(static_cast<size_t>(channels), 0.0)};
}

std::optional<LinearOp> MatchMatMulAndAdd(const Graph& graph, Node* add) {
  for (size_t product = 0; product < 2; ++product) {
    Node* matmul = ProducerOf(graph, add->input(product), "MatMul");
    if (matmul == nullptr || OnlyReader(graph, add->input(product)) == nullptr) continue;
    std::optional<LinearOp> linear = MatchMatMul(graph, matmul);
    if (!linear) continue;
    const std::optional<std::vector<double>> bias = PerChannel(graph, add->input(1 - product), *linear);
    if (!bias) continue;
    linear->bias_node = add;
    linear->bias_index = 1 - product;
    linear->bias = *bias;
    return linear;
  }
  return std::nullopt;
}

std::optional<LinearOp> MatchLinear(const Graph& graph, Node* node) {
  if (node->Is("MatMul")) return MatchMatMul(graph, node);
  return node->Is("Add") ? MatchMatMulAndAdd(graph, node) : MatchOneNode(graph, node);
}

// The product becomes an inner tensor, and an Add writes what it wrote.
void AddBias(Graph& graph, Node* matmul, const std::string& bias) {
  const std::string output = matmul->output(), product = graph.UniqueTensorName(output + "_product");
  const Node* behind = graph.NodeBehind(matmul);
  graph.RenameOutput(output, product);
  Node* add = graph.AddNode("Add", {product, bias}, {output}, matmul->name + "_add", "", behind);
  Absorb(*add, *matmul);
}

}  // namespace

std::optional<LinearOp> MatchLinearBehind(const Graph& graph, std::string_view tensor) {
  std::vector<const Node*> moves;
  std::optional<LinearOp> linear;
  for (std::string at(tensor); !linear; at = moves.back()->input(0)) {
    Node* producer = OnlyReader(graph, at) == nullptr ? nullptr : graph.Producer(at);
    if (producer == nullptr) return std::nullopt;
    linear = MatchLinear(graph, producer);
    if (linear) break;
    if (!IsMove(*producer)) return std::nullopt;
    moves.push_back(producer);
  }
  for (auto move = moves.rbegin(); move != moves.rend(); ++move) {
    const std::optional<Moved> moved = MoveChannels(graph, **move, {linear->rank, linear->channel_axis});
    if (!moved) return std::nullopt;
    linear->rank = moved->rank;
    linear->channel_axis = moved->axis;
    linear->adds_zeros |= moved->adds_zeros;
  }
  return linear;
}

std::optional<std::vector<double>> PerChannel(const Graph& graph, std::string_view constant, const LinearOp& linear) {
  return ConstantPerChannel(graph, constant, linear.rank, linear.channel_axis.value_or(linear.rank), linear.channels);
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
  if (linear.bias_node != nullptr)
    return SetConstantInput(graph, *linear.bias_node, linear.bias_index, std::move(bias), node.name + "_bias");
  if (std::ranges::all_of(bias.floats(), [](float value) { return value == 0; })) return;
  const std::string name = graph.UniqueTensorName(node.name + "_bias");
  graph.SetInitializer(name, std::move(bias));
  AddBias(graph, &node, name);
}

}  // namespace preon
