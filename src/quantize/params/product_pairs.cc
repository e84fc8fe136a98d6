#include "quantize/params/product_pairs.h"

#include <algorithm>
#include <cmath>

#include "formats/scale_type.h"

namespace preon {
namespace {

constexpr float kMostOfPair = 128;  // 255 · 128 is still a number of 16 bits
constexpr float kRoundedUp = 1;     // by which rounding may raise the sum of two codes

using Visitor = std::function<void(size_t, size_t)>;

// Kernels take the inputs of a convolution pixel by pixel, the channels of a pixel side by side. With an odd number of
// channels some of them begin each pixel with a new pair, others do not.
void VisitConv(const Node& node, const Shape& weight, const Visitor& visit) {
  const auto outputs = static_cast<size_t>(weight[0]), channels = static_cast<size_t>(weight[1]);
  if (channels == 1 && node.Int("group", 1) == weight[0]) return;
  size_t pixels = 1;
  for (size_t axis = 2; axis < weight.size(); ++axis) pixels *= static_cast<size_t>(weight[axis]);
  const size_t inputs = channels * pixels, step = channels % 2 == 0 ? 2 : 1;
  std::vector<size_t> at(inputs);
  for (size_t input = 0; input < inputs; ++input) at[input] = input % channels * pixels + input / channels;
  for (size_t output = 0; output < outputs; ++output)
    for (size_t input = 0; input + 1 < inputs; input += step)
      visit(output * inputs + at[input], output * inputs + at[input + 1]);
}

// `inputs` of [rest, inputs, inner].
void VisitInputs(size_t rest, size_t inputs, size_t inner, const Visitor& visit) {
  for (size_t row = 0; row < rest; ++row)
    for (size_t input = 0; input + 1 < inputs; input += 2)
      for (size_t i = 0; i < inner; ++i) {
        const size_t first = (row * inputs + input) * inner + i;
        visit(first, first + inner);
      }
}

}  // namespace

void ForEachProductPair(const Node& node, const Shape& weight, const Visitor& visit) {
  if (weight.size() < 2) return;
  if (node.Is("Conv")) return VisitConv(node, weight, visit);
  const auto all = static_cast<size_t>(ElementCount(weight));
  if (all == 0) return;
  const auto last = static_cast<size_t>(weight.back()), before = static_cast<size_t>(weight[weight.size() - 2]);
  const bool inputs_last = node.Is("LSTM") || (node.Is("Gemm") && node.Int("transB", 0) != 0);
  if (inputs_last) return VisitInputs(all / last, last, 1, visit);
  VisitInputs(all / (last * before), before, last, visit);
}

void FitProductPairs(const Graph& graph, const WeightPlan& plan, const Tensor& values,
                     std::vector<QuantParams>& params) {
  const std::span<const float> weights = values.floats();
  const Shape& shape = values.shape();
  size_t inner = 1;
  for (size_t axis = static_cast<size_t>(std::max(plan.axis, 0)) + 1; axis < shape.size(); ++axis)
    inner *= static_cast<size_t>(shape[axis]);
  std::vector<float> largest(params.size());
  for (const std::string& node : plan.nodes) {
    size_t begin = 0, channel = 0;  // of the pair before, which mostly has the same: divisions would take most time
    ForEachProductPair(*graph.FindNode(node), shape, [&](size_t first, size_t second) {
      if (first - begin >= inner) {
        channel = first / inner % params.size();
        begin = first - first % inner;
      }
      float& most = largest[channel];
      most = std::max(most, std::abs(weights[first] + weights[second]));
    });
  }
  for (size_t channel = 0; channel < params.size(); ++channel) {
    const float least = largest[channel] / (kMostOfPair - kRoundedUp);
    if (params[channel].scale < least) params[channel].scale = RoundScaleUp(least, plan.scale_type);
  }
}

bool ProductPairsFit(const Node& node, const Shape& weight, std::span<const float> codes) {
  bool fit = true;
  ForEachProductPair(node, weight, [&](size_t first, size_t second) {
    fit = fit && std::abs(codes[first] + codes[second]) <= kMostOfPair;
  });
  return fit;
}

void PullProductPairs(const Node& node, const Shape& weight, std::span<float> codes) {
  ForEachProductPair(node, weight, [&](size_t first, size_t second) {
    float& larger = std::abs(codes[first]) >= std::abs(codes[second]) ? codes[first] : codes[second];
    const float excess = std::abs(codes[first] + codes[second]) - kMostOfPair;
    if (excess > 0) larger -= std::copysign(excess, larger);
  });
}

}  // namespace preon
