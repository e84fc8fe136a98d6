#include "quantize/params/product_pairs.h"

#include <algorithm>
#include <cmath>

#include "formats/scale_type.h"

namespace preon {
namespace {

constexpr float kMostOfPair = 128;  // 255 · 128 is still a number of 16 bits
constexpr float kRoundedUp = 1;     // by which rounding may raise the sum of two codes

// Kernels take the inputs of a convolution pixel by pixel, the channels of a pixel side by side. With an odd number of
// channels some of them begin each pixel with a new pair, others do not.
ProductPairs PairsOfConv(const Node& node, const Shape& weight) {
  const auto outputs = static_cast<size_t>(weight[0]), channels = static_cast<size_t>(weight[1]);
  if (channels == 1 && node.Int("group", 1) == weight[0]) return {};
  size_t pixels = 1;
  for (size_t axis = 2; axis < weight.size(); ++axis) pixels *= static_cast<size_t>(weight[axis]);
  ProductPairs pairs{.groups = outputs, .group_size = channels * pixels};
  const auto at = [&](size_t input) { return input % channels * pixels + input / channels; };
  for (size_t input = 0; input + 1 < pairs.group_size; input += channels % 2 == 0 ? 2 : 1)
    pairs.in_group.emplace_back(at(input), at(input + 1));
  return pairs;
}

// `inputs` of [groups, inputs, inner].
ProductPairs PairsOfInputs(size_t groups, size_t inputs, size_t inner) {
  ProductPairs pairs{.groups = groups, .group_size = inputs * inner, .inner = inner};
  for (size_t input = 0; input + 1 < inputs; input += 2) pairs.in_group.emplace_back(input, input + 1);
  return pairs;
}

// Calls `visit` with the positions of the first weights of `inner` neighbouring pairs.
template <typename Visitor>
void ForEachRun(const ProductPairs& pairs, const Visitor& visit) {
  for (size_t group = 0; group < pairs.groups; ++group)
    for (const auto& [first, second] : pairs.in_group)
      visit(group * pairs.group_size + first * pairs.inner, group * pairs.group_size + second * pairs.inner);
}

// Of the pairs of one group.
float LargestSum(const ProductPairs& pairs, std::span<const float> group) {
  float largest = 0;
  for (const auto& [first, second] : pairs.in_group) {
    for (size_t i = 0; i < pairs.inner; ++i)
      largest = std::max(largest, std::abs(group[first * pairs.inner + i] + group[second * pairs.inner + i]));
  }
  return largest;
}

// @param below  elements of one channel that stand side by side; channels repeat behind the last of `largest`
void AddLargestSums(const ProductPairs& pairs, std::span<const float> weights, size_t below, std::span<float> largest) {
  if (pairs.group_size > 0 && below % pairs.group_size == 0) {  // a group is of one channel
    for (size_t group = 0; group < pairs.groups; ++group) {
      const size_t first = group * pairs.group_size;
      float& of_channel = largest[first / below % largest.size()];
      of_channel = std::max(of_channel, LargestSum(pairs, weights.subspan(first, pairs.group_size)));
    }
    return;
  }
  ForEachRun(pairs, [&](size_t first, size_t second) {
    size_t channel = first / below % largest.size(), left = below - first % below;
    for (size_t i = 0; i < pairs.inner; ++i, --left) {
      if (left == 0) {
        channel = channel + 1 == largest.size() ? 0 : channel + 1;
        left = below;
      }
      largest[channel] = std::max(largest[channel], std::abs(weights[first + i] + weights[second + i]));
    }
  });
}

}  // namespace

ProductPairs FindProductPairs(const Node& node, const Shape& weight) {
  if (weight.size() < 2) return {};
  if (node.Is("Conv")) return PairsOfConv(node, weight);
  const auto all = static_cast<size_t>(ElementCount(weight));
  if (all == 0) return {};
  const auto last = static_cast<size_t>(weight.back()), before = static_cast<size_t>(weight[weight.size() - 2]);
  const bool inputs_last = node.Is("LSTM") || (node.Is("Gemm") && node.Int("transB", 0) != 0);
  return inputs_last ? PairsOfInputs(all / last, last, 1) : PairsOfInputs(all / (last * before), before, last);
}

void FitProductPairs(const Graph& graph, const WeightPlan& plan, const Tensor& values,
                     std::vector<QuantParams>& params) {
  const std::span<const float> weights = values.floats();
  const Shape& shape = values.shape();
  size_t below = 1;  // elements of one channel that stand side by side
  for (size_t axis = static_cast<size_t>(std::max(plan.axis, 0)) + 1; axis < shape.size(); ++axis)
    below *= static_cast<size_t>(shape[axis]);
  std::vector<float> largest(params.size());
  for (const std::string& node : plan.nodes)
    AddLargestSums(FindProductPairs(*graph.FindNode(node), shape), weights, below, largest);
  for (size_t channel = 0; channel < params.size(); ++channel) {
    const float least = largest[channel] / (kMostOfPair - kRoundedUp);
    if (params[channel].scale < least) params[channel].scale = RoundScaleUp(least, plan.scale_type);
  }
}

bool ProductPairsFit(const Node& node, const Shape& weight, std::span<const float> codes) {
  const ProductPairs pairs = FindProductPairs(node, weight);
  bool fit = true;
  ForEachRun(pairs, [&](size_t first, size_t second) {
    for (size_t i = 0; i < pairs.inner; ++i) fit = fit && std::abs(codes[first + i] + codes[second + i]) <= kMostOfPair;
  });
  return fit;
}

void PullProductPairs(const Node& node, const Shape& weight, std::span<float> codes) {
  const ProductPairs pairs = FindProductPairs(node, weight);
  ForEachRun(pairs, [&](size_t first, size_t second) {
    for (size_t i = 0; i < pairs.inner; ++i) {
      float& a = codes[first + i];
      float& b = codes[second + i];
      const float excess = std::abs(a + b) - kMostOfPair;
      if (excess > 0) (std::abs(a) >= std::abs(b) ? a : b) -= std::copysign(excess, a + b);
    }
  });
}

bool ProcessorAddsPairsExactly() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512vnni") != 0 || __builtin_cpu_supports("avxvnni") != 0;
#else
  return true;
#endif
}

}  // namespace preon
