// ScaledLayer: weight and bias of a Conv, Gemm or MatMul while channels are scaled.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace preon {

/// The float constant under this name; null where there is none, or one that the model's user may override.
const Tensor* FloatConstant(const Graph& graph, std::string_view tensor);
/// Every output channel reads the input channel of the same number alone.
bool KeepsChannels(const Graph& graph, const Node& conv);
/// A Conv of one group, a depthwise one or a Gemm, whose weight is such a constant.
bool IsScalableLayer(const Graph& graph, const Node& node);
/// Of such a layer: its outputs can be scaled: there is no bias, or one value for each.
bool CanScaleOutputs(const Graph& graph, const Node& layer);
/// Of such a layer: its input channels lie along axis 1.
bool ReadsChannels(const Node& layer);
/// Channels of zeros that a Pad puts in front of those of its input, and behind them.
struct ChannelPads {
  int64_t before = 0, behind = 0;
  bool empty() const { return before == 0 && behind == 0; }
};
/// Of a Pad that puts around values only what scales with them: zeros or copies, and copies beside no channel. Nullopt
/// for any other node.
std::optional<ChannelPads> ChannelPadsOf(const Graph& graph, const Node& node);
/// Relu, LeakyRelu, ReduceMean over places, Pad with zeros or copies: what a positive factor per channel goes through.
bool KeepsFactors(const Graph& graph, const Node& node);
/// Input `input` of the node reads this constant; its other readers keep theirs.
void StoreConstant(Graph& graph, Node& node, size_t input, Tensor value);

/// Works on a copy of the constants; Store() puts it into the graph.
class ScaledLayer {
 public:
  ScaledLayer(const Graph& graph, const Node& node);

  size_t outputs() const { return outputs_; }
  size_t inputs() const { return inputs_; }
  /// Empty where there is none, or one that is computed.
  std::span<const float> bias() const { return bias_; }
  std::span<const float> weight() const { return weight_; }

  /// Largest magnitude per output channel and per input channel.
  std::vector<double> OutputRanges() const;
  std::vector<double> InputRanges() const;
  /// Of each pair of an output and an input channel: [outputs, inputs].
  std::vector<double> PairRanges() const;
  /// Sum of squares per output channel and per input channel.
  std::vector<double> OutputSquares() const;
  std::vector<double> InputSquares() const;
  /// Elements of one output channel.
  std::vector<float> OutputValues(size_t channel) const;
  void ScaleOutputs(std::span<const double> factors);  ///< not the bias
  void ScaleInputs(std::span<const double> factors);
  void ScaleBias(std::span<const double> factors);
  /// Constants that others read, too, get a copy of their own.
  void Store(Graph& graph, Node& node) const;

 private:
  /// Calls visit(element, output, input) for all elements.
  template <typename Visit>
  void ForEach(Visit visit) const;

  std::vector<float> weight_, bias_;
  Shape shape_, bias_shape_;
  size_t outputs_ = 0, inputs_ = 0;
  size_t output_stride_ = 0, input_stride_ = 0, inner_ = 1;  ///< element = output * stride + input * stride + i
};

}  // namespace preon
