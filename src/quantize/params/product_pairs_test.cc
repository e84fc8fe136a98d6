#include "quantize/params/product_pairs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace preon {
namespace {

using Pair = std::pair<size_t, size_t>;

struct OneNode {
  Graph graph;
  Node* node;

  explicit OneNode(const char* op) { node = graph.AddNode(op, {"x", "w"}, {"y"}, "layer"); }
};

std::vector<Pair> PairsOf(const Node& node, const Shape& weight) {
  const ProductPairs found = FindProductPairs(node, weight);
  std::vector<Pair> pairs;
  for (size_t group = 0; group < found.groups; ++group) {
    for (const auto& [first, second] : found.in_group) {
      for (size_t i = 0; i < found.inner; ++i)
        pairs.emplace_back(group * found.group_size + first * found.inner + i,
                           group * found.group_size + second * found.inner + i);
    }
  }
  return pairs;
}

TEST(ProductPairs, ChannelsOfAPixelStandSideBySide) {
  const OneNode conv("Conv");
  EXPECT_EQ(PairsOf(*conv.node, {1, 4, 1, 2}), (std::vector<Pair>{{0, 2}, {4, 6}, {1, 3}, {5, 7}}));
  // An odd number of channels: across pixels, too.
  EXPECT_EQ(PairsOf(*conv.node, {1, 3, 1, 2}), (std::vector<Pair>{{0, 2}, {2, 4}, {4, 1}, {1, 3}, {3, 5}}));
}

TEST(ProductPairs, DepthwiseConvolutionsHaveNone) {
  OneNode conv("Conv");
  conv.node->attributes["group"] = int64_t{8};
  EXPECT_TRUE(PairsOf(*conv.node, {8, 1, 3, 3}).empty());
  EXPECT_FALSE(PairsOf(*conv.node, {16, 1, 3, 3}).empty());
}

TEST(ProductPairs, InputsOfMatrices) {
  OneNode gemm("Gemm");
  EXPECT_EQ(PairsOf(*gemm.node, {3, 2}), (std::vector<Pair>{{0, 2}, {1, 3}}));
  gemm.node->attributes["transB"] = int64_t{1};
  EXPECT_EQ(PairsOf(*gemm.node, {2, 3}), (std::vector<Pair>{{0, 1}, {3, 4}}));
  EXPECT_EQ(PairsOf(*OneNode("LSTM").node, {1, 2, 3}), (std::vector<Pair>{{0, 1}, {3, 4}}));
}

std::vector<float> Codes(const std::vector<float>& weights, const std::vector<QuantParams>& params, size_t inner) {
  std::vector<float> codes;
  for (size_t i = 0; i < weights.size(); ++i)
    codes.push_back(std::nearbyint(weights[i] / params[i / inner % params.size()].scale));
  return codes;
}

TEST(ProductPairs, ScalesLeaveRoomForEachPair) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (const int axis : {-1, 0}) {
    const OneNode conv("Conv");
    const Shape shape = {5, 7, 3, 3};
    std::vector<float> weights(static_cast<size_t>(ElementCount(shape)));
    for (float& weight : weights) weight = normal(random);
    std::vector<QuantParams> params(axis < 0 ? 1 : 5, {.scale = 3.0F / 127});  // too small for pairs of large ones
    WeightPlan plan{.axis = axis, .nodes = {"layer"}};
    EXPECT_FALSE(ProductPairsFit(*conv.node, shape, Codes(weights, params, 63)));
    FitProductPairs(conv.graph, plan, Tensor::FromFloats(shape, weights), params);
    EXPECT_TRUE(ProductPairsFit(*conv.node, shape, Codes(weights, params, 63)));
    for (const QuantParams& channel : params) EXPECT_LT(channel.scale, 6.0F / 127);
  }
}

TEST(ProductPairs, ScalesThatLeaveRoomStay) {
  const OneNode gemm("Gemm");
  std::vector<QuantParams> params(2, {.scale = 1});
  FitProductPairs(gemm.graph, {.axis = 1, .nodes = {"layer"}},
                  Tensor::FromFloats({2, 2}, std::vector<float>{127, 60, -127, 60}), params);
  EXPECT_EQ(params, std::vector<QuantParams>(2, {.scale = 1}));
}

TEST(ProductPairs, CodesArePulledTowardsZero) {
  const OneNode gemm("Gemm");
  std::vector<float> codes = {100, -90, 60, -10};  // [2, 2]: columns 100, 60 and -90, -10
  PullProductPairs(*gemm.node, {2, 2}, codes);
  EXPECT_EQ(codes, (std::vector<float>{68, -90, 60, -10}));
}

}  // namespace
}  // namespace preon
