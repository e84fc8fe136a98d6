#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "algorithms/algorithms.h"
#include "algorithms/channel_groups.h"
#include "ir/test_graphs.h"
#include "quantize/targets/targets.h"

namespace preon {
namespace {

using test::GraphBuilder;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::Pointwise;

const NodeFilter kAnyNode = [](const Node&) { return true; };

std::vector<float> Floats(const Graph& graph, const std::string& name) {
  const std::span<const float> values = graph.Initializer(name)->floats();
  return {values.begin(), values.end()};
}

std::set<std::string> Observed(const Model& model) {
  return MakeChannelHeadroomAlgorithm()->NeedsOfFloat(model.graph, kAnyNode).channel_extremes;
}

/// x -> c1 -> r1 (Clip between `low` and 6) -> c2, depthwise or of one group -> y.
struct Clipped : GraphBuilder {
  explicit Clipped(bool depthwise, float low = 0) : GraphBuilder({1, 4, 8, 8}) {
    Conv("x", "c1");
    model.graph.SetInitializer("low", Tensor::ScalarFloat(low));
    model.graph.SetInitializer("high", Tensor::ScalarFloat(6));
    Op("Clip", {"c1", "low", "high"}, "r1");
    Node* conv = Op("Conv", {"r1", Constant("c2_w", depthwise ? Shape{4, 1, 1, 1} : Shape{2, 4, 1, 1})}, "c2");
    if (depthwise) conv->attributes["group"] = int64_t{4};
    Output("c2");
  }
};

/// x -> c1 -> r1, which c2 -> r2 -> c3 reads and an Add behind it -> r3 -> average -> Gemm.
struct Residual : GraphBuilder {
  Residual() : GraphBuilder({1, 4, 8, 8}) {
    Conv("x", "c1");
    Op("Relu", {"c1"}, "r1");
    Conv("r1", "c2");
    Op("Relu", {"c2"}, "r2");
    Conv("r2", "c3");
    Op("Add", {"c3", "r1"}, "sum");
    Op("Relu", {"sum"}, "r3");
    Op("GlobalAveragePool", {"r3"}, "mean", {1, 4, 1, 1});
    Op("Flatten", {"mean"}, "flat", {1, 4});
    Op("Gemm", {"flat", Constant("g_w", {4, 3})}, "y", {1, 3});
    model.graph.AddOutput("y", test::FloatInfo({1, 3}));
  }
};

// Shares of the largest value 6: 1, 1/4, 1/400 and none, so that factors are 1, 2, 4 and 1.
TEST(ChannelHeadroom, ChannelsGoHalfOfTheWay) {
  for (const bool depthwise : {true, false}) {
    Clipped b(depthwise);
    std::vector<float> first = Floats(b.model.graph, "c1_w"), second = Floats(b.model.graph, "c2_w");
    const CollectedStatistics collected{.channel_extremes = {{"r1", {{0, 0, 0, 0}, {6, 1.5F, 0.015F, 0}}}}};
    EXPECT_TRUE(*MakeChannelHeadroomAlgorithm()->RewriteFloat(b.model, kAnyNode, collected, {}));
    const float factors[] = {1, 2, 4, 1};
    for (size_t i = 0; i < first.size(); ++i) first[i] *= factors[i / (first.size() / 4)];
    for (size_t i = 0; i < second.size(); ++i) second[i] /= factors[i % 4];
    EXPECT_THAT(Floats(b.model.graph, "c1_w"), Pointwise(FloatEq(), first));
    EXPECT_THAT(Floats(b.model.graph, "c2_w"), Pointwise(FloatEq(), second)) << depthwise;
  }
}

TEST(ChannelHeadroom, NothingWhereAScaledChannelWouldBeCutElsewhere) {
  EXPECT_THAT(Observed(Clipped(true, -6).model), ElementsAre());
  EXPECT_THAT(Observed(Clipped(true).model), ElementsAre("r1"));
}

TEST(ChannelHeadroom, OneFactorForAllThatAResidualBlockTies) {
  const Residual b;
  const ChannelGroups groups = FindChannelGroups(b.model.graph, kAnyNode);
  for (const char* tied : {"c1", "r1", "c3", "sum", "r3", "mean", "flat"})
    EXPECT_EQ(groups.of.at(tied), groups.of.at("r1"));
  EXPECT_NE(groups.of.at("r2"), groups.of.at("r1"));
  EXPECT_FALSE(groups.of.contains("x"));
  // What a layer gives to the Add alone counts in the sum, and inputs of Relu have no codes.
  EXPECT_THAT(Observed(b.model), ElementsAre("flat", "mean", "r1", "r2", "r3"));
}

TEST(ChannelHeadroom, TheTensorThatAChannelComesNearestToDecides) {
  Residual b;
  const std::vector<float> before = Floats(b.model.graph, "g_w");
  const CollectedStatistics collected{
      .channel_extremes = {{"r1", {{0, 0, 0, 0}, {8, 4, 2, 2}}}, {"r3", {{0, 0, 0, 0}, {1, 16, 1, 4}}}}};
  EXPECT_TRUE(*MakeChannelHeadroomAlgorithm()->RewriteFloat(b.model, kAnyNode, collected, {}));
  const std::vector<float> after = Floats(b.model.graph, "g_w");
  for (size_t output = 0; output < 3; ++output) {
    EXPECT_FLOAT_EQ(after[output], before[output]);
    EXPECT_FLOAT_EQ(after[3 + output], before[3 + output]);
    EXPECT_FLOAT_EQ(after[6 + output], before[6 + output] / 2);
    EXPECT_FLOAT_EQ(after[9 + output], before[9 + output] / 2);
  }
}

TEST(ChannelHeadroom, ChannelsOfZerosBesideAreNotTied) {
  GraphBuilder b({1, 4, 8, 8});
  Graph& graph = b.model.graph;
  b.Conv("x", "c1");
  graph.SetInitializer("pads", Tensor::FromInt64s({8}, std::vector<int64_t>{0, 1, 0, 0, 0, 1, 0, 0}));
  b.Op("Pad", {"c1", "pads"}, "wide", {1, 6, 8, 8});
  b.Op("Conv", {"wide", b.Constant("c2_w", {4, 6, 1, 1})}, "c2");
  b.Output("c2");
  const ChannelGroups groups = FindChannelGroups(graph, kAnyNode);
  const std::vector<size_t>&narrow = groups.of.at("c1"), &wide = groups.of.at("wide");
  EXPECT_EQ(std::vector(wide.begin() + 1, wide.end() - 1), narrow);
  EXPECT_EQ((std::set<size_t>(wide.begin(), wide.end()).size()), 6U);
}

TEST(ChannelHeadroom, ChannelsStayThatSomethingElseReads) {
  for (const char* reader : {"Sigmoid", "Softmax"}) {
    Residual b;
    b.Op(reader, {"r3"}, "other");
    b.Output("other");
    EXPECT_THAT(FindChannelGroups(b.model.graph, kAnyNode).of.at("r1"), Each(0U)) << reader;
  }
  Residual of_output;
  of_output.Output("r2");
  EXPECT_THAT(FindChannelGroups(of_output.model.graph, kAnyNode).of.at("r2"), Each(0U));
  const NodeFilter in_float = [](const Node& node) { return node.name != "c3_node"; };
  EXPECT_THAT(FindChannelGroups(Residual().model.graph, in_float).of.at("r2"), Each(0U));
}

TEST(ChannelHeadroom, OtherInputsOfALayerStay) {
  Residual b;
  b.Op("Gemm", {"flat", b.Constant("h_w", {4, 4}), "flat"}, "other", {1, 4});
  b.model.graph.AddOutput("other", test::FloatInfo({1, 4}));
  EXPECT_THAT(FindChannelGroups(b.model.graph, kAnyNode).of.at("r1"), Each(0U));
}

TEST(ChannelHeadroom, AComputedBiasIsReadAsItIs) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Op("Relu", {"c1"}, "r1");
  b.Op("Abs", {"c1_b"}, "computed", {4});
  b.Op("Conv", {"r1", b.Constant("c2_w", {4, 4, 1, 1}), "computed"}, "c2");
  b.Output("c2");
  const ChannelGroups groups = FindChannelGroups(b.model.graph, kAnyNode);
  EXPECT_FALSE(groups.of.contains("c2"));
  EXPECT_TRUE(ScaleChannels(b.model.graph, groups, std::vector<double>(groups.count, 2), kAnyNode));
  EXPECT_EQ(b.model.graph.FindNode("c2_node")->input(2), "computed");
}

TEST(ChannelHeadroom, ForTargetsWithOneScalePerWeight) {
  EXPECT_TRUE(MakeChannelHeadroomAlgorithm()->AppliesTo(*MakeNpuCnnTarget(), {}));
  EXPECT_FALSE(MakeChannelHeadroomAlgorithm()->AppliesTo(*MakeOrtCpuTarget(), {}));
}

}  // namespace
}  // namespace preon
