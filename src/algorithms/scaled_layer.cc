#include "algorithms/scaled_layer.h"

#include <algorithm>
#include <cmath>

#include "passes/support/match.h"
#include "passes/support/moves.h"
#include "passes/support/rewrite.h"

namespace preon {

namespace {

// Over places alone: batch and channels stay where they are.
bool AveragesPlaces(const Graph& graph, const Node& reduce) {
  const std::optional<Shape> shape = graph.ShapeOf(reduce.input(0));
  const std::vector<int64_t> axes = IntsOf(graph, reduce, 1, "axes").value_or(std::vector<int64_t>());
  const auto is_place = [&](int64_t axis) {
    return axis >= 2 || (axis < 0 && shape && axis + std::ssize(*shape) >= 2);
  };
  return !axes.empty() && std::ranges::all_of(axes, is_place);
}

}  // namespace

const Tensor* FloatConstant(const Graph& graph, std::string_view tensor) {
  const Tensor* value = Constant(graph, tensor);
  return value != nullptr && value->type() == DataType::kFloat ? value : nullptr;
}

bool KeepsChannels(const Graph& graph, const Node& conv) {
  const Tensor* weight = FloatConstant(graph, conv.input(1));
  return conv.Is("Conv") && weight != nullptr && weight->shape().size() >= 2 && weight->shape()[1] == 1 &&
         weight->shape()[0] == conv.Int("group", 1) && weight->shape()[0] > 1;
}

bool IsScalableLayer(const Graph& graph, const Node& node) {
  if (!(node.Is("Conv") || node.Is("Gemm")) || node.inputs().size() < 2) return false;
  const Tensor* weight = FloatConstant(graph, node.input(1));
  if (weight == nullptr || weight->shape().size() < 2) return false;
  return node.Is("Gemm") || node.Int("group", 1) == 1 || KeepsChannels(graph, node);
}

bool CanScaleOutputs(const Graph& graph, const Node& node) {
  if (node.input(2).empty()) return true;
  const Tensor* bias = FloatConstant(graph, node.input(2));
  const Tensor& weight = *graph.Initializer(node.input(1));
  const bool columns = node.Is("Gemm") && node.Int("transB", 0) == 0;
  return bias != nullptr && !bias->shape().empty() && bias->shape().back() == weight.shape()[columns ? 1 : 0] &&
         ElementCount(bias->shape()) == bias->shape().back();
}

bool ReadsChannels(const Node& node) { return node.Is("Conv") || node.Int("transA", 0) == 0; }

std::optional<ChannelPads> ChannelPadsOf(const Graph& graph, const Node& node) {
  if (!node.Is("Pad") || !node.input(3).empty()) return std::nullopt;
  const std::vector<int64_t> pads = IntsOf(graph, node, 1, "pads").value_or(std::vector<int64_t>());
  const size_t rank = pads.size() / 2;
  if (rank < 2 || pads.size() % 2 != 0 || pads[0] != 0 || pads[rank] != 0) return std::nullopt;
  const ChannelPads channels{pads[1], pads[rank + 1]};
  const bool copies = node.String("mode", "constant") != "constant";
  if (channels.before < 0 || channels.behind < 0 || (copies && !channels.empty())) return std::nullopt;
  return copies || PadsWithZero(graph, node) ? std::optional(channels) : std::nullopt;
}

bool KeepsFactors(const Graph& graph, const Node& node) {
  return node.Is("Relu") || node.Is("LeakyRelu") || (node.Is("ReduceMean") && AveragesPlaces(graph, node)) ||
         ChannelPadsOf(graph, node).value_or(ChannelPads{1, 1}).empty();
}

void StoreConstant(Graph& graph, Node& node, size_t input, Tensor value) {
  SetConstantInput(graph, node, input, std::move(value), node.name + "_" + node.input(input));
}

ScaledLayer::ScaledLayer(const Graph& graph, const Node& node) {
  const Tensor& weight = *graph.Initializer(node.input(1));
  weight_.assign(weight.floats().begin(), weight.floats().end());
  shape_ = weight.shape();
  const bool columns = node.Is("MatMul") || (node.Is("Gemm") && node.Int("transB", 0) == 0);
  const auto rows = static_cast<size_t>(shape_[0]), second = static_cast<size_t>(shape_[1]);
  for (size_t axis = 2; axis < shape_.size(); ++axis) inner_ *= static_cast<size_t>(shape_[axis]);
  outputs_ = columns ? second : rows;
  inputs_ = columns ? rows : second;
  output_stride_ = columns ? 1 : second * inner_;
  input_stride_ = columns ? second : inner_;
  if (KeepsChannels(graph, node)) {  // input c is output c
    inputs_ = rows;
    input_stride_ = 0;
  }
  const Tensor* bias = node.input(2).empty() ? nullptr : FloatConstant(graph, node.input(2));
  if (bias == nullptr) return;
  bias_.assign(bias->floats().begin(), bias->floats().end());
  bias_shape_ = bias->shape();
}

template <typename Visit>
void ScaledLayer::ForEach(Visit visit) const {
  for (size_t output = 0; output < outputs_; ++output) {
    const bool own = input_stride_ == 0;
    for (size_t input = own ? output : 0; input < (own ? output + 1 : inputs_); ++input) {
      const size_t first = output * output_stride_ + input * input_stride_;
      for (size_t element = first; element < first + inner_; ++element) visit(element, output, input);
    }
  }
}

std::vector<double> ScaledLayer::OutputRanges() const {
  std::vector<double> ranges(outputs_);
  ForEach([&](size_t element, size_t output, size_t) {
    ranges[output] = std::max(ranges[output], std::abs(double{weight_[element]}));
  });
  return ranges;
}

std::vector<double> ScaledLayer::InputRanges() const {
  std::vector<double> ranges(inputs_);
  ForEach([&](size_t element, size_t, size_t input) {
    ranges[input] = std::max(ranges[input], std::abs(double{weight_[element]}));
  });
  return ranges;
}

std::vector<double> ScaledLayer::PairRanges() const {
  std::vector<double> ranges(outputs_ * inputs_);
  ForEach([&](size_t element, size_t output, size_t input) {
    double& range = ranges[output * inputs_ + input];
    range = std::max(range, std::abs(double{weight_[element]}));
  });
  return ranges;
}

std::vector<double> ScaledLayer::OutputSquares() const {
  std::vector<double> squares(outputs_);
  ForEach(
      [&](size_t element, size_t output, size_t) { squares[output] += double{weight_[element]} * weight_[element]; });
  return squares;
}

std::vector<double> ScaledLayer::InputSquares() const {
  std::vector<double> squares(inputs_);
  ForEach([&](size_t element, size_t, size_t input) { squares[input] += double{weight_[element]} * weight_[element]; });
  return squares;
}

std::vector<float> ScaledLayer::OutputValues(size_t channel) const {
  std::vector<float> values;
  const size_t inputs = input_stride_ == 0 ? 1 : inputs_;
  for (size_t input = 0; input < inputs; ++input) {
    const size_t first = channel * output_stride_ + input * input_stride_;
    values.insert(values.end(), weight_.begin() + static_cast<std::ptrdiff_t>(first),
                  weight_.begin() + static_cast<std::ptrdiff_t>(first + inner_));
  }
  return values;
}

void ScaledLayer::ScaleOutputs(std::span<const double> factors) {
  ForEach([&](size_t element, size_t output, size_t) {
    weight_[element] = static_cast<float>(weight_[element] * factors[output]);
  });
}

void ScaledLayer::ScaleInputs(std::span<const double> factors) {
  ForEach([&](size_t element, size_t, size_t input) {
    weight_[element] = static_cast<float>(weight_[element] * factors[input]);
  });
}

void ScaledLayer::ScaleBias(std::span<const double> factors) {
  for (size_t channel = 0; channel < bias_.size(); ++channel)
    bias_[channel] = static_cast<float>(bias_[channel] * factors[channel]);
}

void ScaledLayer::Store(Graph& graph, Node& node) const {
  StoreConstant(graph, node, 1, Tensor::FromFloats(shape_, weight_));
  if (!bias_.empty()) StoreConstant(graph, node, 2, Tensor::FromFloats(bias_shape_, bias_));
}

}  // namespace preon
