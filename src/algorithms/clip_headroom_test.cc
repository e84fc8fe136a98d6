#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/algorithms.h"
#include "ir/test_graphs.h"
#include "quantize/targets/targets.h"

namespace preon {
namespace {

using test::GraphBuilder;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::IsEmpty;
using ::testing::Pointwise;

/// x -> c1 -> r1 (Clip between `low` and 6) -> c2, depthwise or of one group -> y.
struct Clipped : GraphBuilder {
  explicit Clipped(bool depthwise, float low = 0) : GraphBuilder({1, 4, 8, 8}) {
    Conv("x", "c1");
    model.graph.SetInitializer("low", Tensor::ScalarFloat(low));
    model.graph.SetInitializer("high", Tensor::ScalarFloat(6));
    Op("Clip", {"c1", "low", "high"}, "r1");
    const std::string weight = Constant("c2_w", depthwise ? Shape{4, 1, 1, 1} : Shape{2, 4, 1, 1});
    Node* conv = Op("Conv", {"r1", weight}, "c2");
    if (depthwise) conv->attributes["group"] = int64_t{4};
    Output("c2");
  }

  QuantPlan Plan() const {
    PlanOptions options;
    EXPECT_TRUE(MakeNpuCnnTarget()->SettleScales({}, &options).ok());
    return *MakeNpuCnnTarget()->Plan(model, options);
  }
  std::vector<float> Floats(const Graph& graph, const std::string& name) const {
    const std::span<const float> values = graph.Initializer(name)->floats();
    return {values.begin(), values.end()};
  }
};

// Shares of the bound 6: 1, 1/4, 1/400 and none, so that factors are 1, 1/2, 1/4 and 1.
Graph Scaled(const Clipped& b, const Range& of_clip) {
  const QuantPlan plan = b.Plan();
  const TensorRanges ranges = {{"x", {-1, 1}}, {"r1", of_clip}, {"c2", {-1, 1}}, {"c1", {-6, 6}}};
  PlanParams params(b.model.graph, plan, ranges);
  EXPECT_TRUE(params.Compute().ok());
  const CollectedStatistics collected{.channel_extremes = {{"r1", {{0, 0, 0, 0}, {6, 1.5F, 0.015F, 0}}}}};
  Graph graph = b.model.graph;
  const auto hook = MakeClipHeadroomAlgorithm()->Apply(graph, plan, collected);
  const auto divided = (*hook)->BeforeWeights(graph, params);
  EXPECT_TRUE(divided.ok());
  EXPECT_EQ(divided->size(), 1U);
  return graph;
}

TEST(ClipHeadroom, ChannelsGoHalfOfTheWayToTheBound) {
  for (const bool depthwise : {true, false}) {
    const Clipped b(depthwise);
    const Graph graph = Scaled(b, {0, 6});
    std::vector<float> first = b.Floats(b.model.graph, "c1_w"), second = b.Floats(b.model.graph, "c2_w");
    const float factors[] = {1, 0.5F, 0.25F, 1};
    for (size_t i = 0; i < first.size(); ++i) first[i] /= factors[i / (first.size() / 4)];
    for (size_t i = 0; i < second.size(); ++i) second[i] *= factors[i % 4];
    EXPECT_THAT(b.Floats(graph, "c1_w"), Pointwise(FloatEq(), first));
    EXPECT_THAT(b.Floats(graph, "c2_w"), Pointwise(FloatEq(), second)) << depthwise;
  }
}

TEST(ClipHeadroom, NoFurtherThanTheCodesReach) {
  const Clipped b(true);  // 127 / 64 is the largest value: the second channel uses three quarters of it
  const Graph graph = Scaled(b, {0, 1.9F});
  const float share = 1.5F / (127.0F / 64);
  EXPECT_FLOAT_EQ(b.Floats(graph, "c2_w")[1], b.Floats(b.model.graph, "c2_w")[1] * std::sqrt(share));
}

TEST(ClipHeadroom, NothingWhereAScaledChannelWouldBeCutElsewhere) {
  const Clipped both_sides(true, -6);
  EXPECT_THAT(MakeClipHeadroomAlgorithm()->Needs(both_sides.model.graph, both_sides.Plan()).channel_extremes,
              IsEmpty());
  const Clipped one_side(true);
  EXPECT_THAT(MakeClipHeadroomAlgorithm()->Needs(one_side.model.graph, one_side.Plan()).channel_extremes,
              ElementsAre("r1"));
}

TEST(ClipHeadroom, ForTargetsWithOneScalePerWeight) {
  EXPECT_TRUE(MakeClipHeadroomAlgorithm()->AppliesTo(*MakeNpuCnnTarget(), {}));
  EXPECT_FALSE(MakeClipHeadroomAlgorithm()->AppliesTo(*MakeNpuCnnTarget(), {.compat = Compat::kQuark}));
  EXPECT_FALSE(MakeClipHeadroomAlgorithm()->AppliesTo(*MakeOrtCpuTarget(), {}));
}

}  // namespace
}  // namespace preon
