#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/algorithms.h"
#include "algorithms/last_axis_extremes.h"
#include "ir/test_graphs.h"

namespace preon {
namespace {

using test::FloatInfo;
using test::GraphBuilder;
using ::testing::ElementsAre;
using ::testing::FloatNear;

const Shape kRows = {1, 3, 2};

/// x [1, 3, 2] -> (LayerNormalization -> h, unless told otherwise) -> MatMul with w1 and w2, both [2, 2].
struct Siblings : GraphBuilder {
  explicit Siblings(bool normalized = true) : GraphBuilder(kRows) {
    Graph& graph = model.graph;
    const auto set = [&](const char* name, Shape shape, std::vector<float> values) {
      graph.SetInitializer(name, Tensor::FromFloats(std::move(shape), values));
    };
    set("scale", {2}, {1, 1});
    set("shift", {2}, {4, 4});
    set("w1", {2, 2}, {1, -1, 0.5f, 1});
    set("w2", {2, 2}, {4, 1, 1, 1});
    if (normalized) Op("LayerNormalization", {"x", "scale", "shift"}, "h", kRows);
    read = normalized ? "h" : "x";
    Op("MatMul", {read, "w1"}, "a", kRows);
    Op("MatMul", {read, "w2"}, "b", kRows);
    graph.AddOutput("a", FloatInfo(kRows));
    graph.AddOutput("b", FloatInfo(kRows));
  }
  std::vector<float> Values(const std::string& name) const {
    const auto floats = model.graph.Initializer(name)->floats();
    return {floats.begin(), floats.end()};
  }
  /// As if the channels of what the MatMuls read had reached these magnitudes.
  void Smooth(std::vector<float> reached, AlgorithmValues::Texts values = {}) {
    const StatisticKind& kind = LastAxisExtremes(2);
    const auto statistic = kind.Make();
    ASSERT_TRUE(statistic->Update(reached.data(), {.channels = 1, .inner = 2}, {}).ok());
    CollectedStatistics collected;
    collected.others[std::string(kind.name())][read] = statistic->Serialize();
    const auto plain = MakeSmoothQuantAlgorithm();
    const auto configured = *plain->Configured(AlgorithmValues(plain->options(), std::move(values)));
    const NodeFilter every = [](const Node&) { return true; };
    EXPECT_TRUE(configured->NeedsOfFloat(model.graph, every).others.at(&kind).contains(read));
    EXPECT_TRUE(*configured->RewriteFloat(model, every, collected, {}));
    EXPECT_TRUE(model.graph.CheckIntegrity().ok());
  }
  std::string read;
};

TEST(SmoothQuant, SiblingsShareOneFactorThatTheNormalizationTakes) {
  Siblings siblings;
  siblings.Smooth({16, 1});  // weights reach 4 and 1: sigma = sqrt(16 / 4) = 2 and 1
  EXPECT_THAT(siblings.Values("w1"), ElementsAre(FloatNear(2, 1e-6f), FloatNear(-2, 1e-6f), 0.5f, 1));
  EXPECT_THAT(siblings.Values("w2"), ElementsAre(FloatNear(8, 1e-6f), FloatNear(2, 1e-6f), 1, 1));
  EXPECT_THAT(siblings.Values("scale"), ElementsAre(FloatNear(0.5f, 1e-6f), FloatNear(1, 1e-6f)));
  EXPECT_THAT(siblings.Values("shift"), ElementsAre(FloatNear(2, 1e-6f), FloatNear(4, 1e-6f)));
  EXPECT_EQ(siblings.model.graph.nodes().size(), 3u);
}

TEST(SmoothQuant, OneMulWhereNothingTakesIt) {
  Siblings siblings(false);
  siblings.Smooth({16, 1});
  EXPECT_EQ(siblings.model.graph.nodes().size(), 3u);
  EXPECT_EQ(siblings.model.graph.Producer("a")->input(0), siblings.model.graph.Producer("b")->input(0));
  EXPECT_THAT(siblings.Values("x_smooth_scale"), ElementsAre(FloatNear(0.5f, 1e-6f), FloatNear(1, 1e-6f)));
}

TEST(SmoothQuant, ChannelsOfZerosStayAsTheyAre) {
  Siblings siblings;
  siblings.Smooth({0, 1});
  EXPECT_THAT(siblings.Values("w1"), ElementsAre(1, -1, FloatNear(0.5f, 1e-6f), FloatNear(1, 1e-6f)));
}

TEST(SmoothQuant, AlphaOneMovesEverything) {
  Siblings siblings;
  siblings.Smooth({16, 2}, {{"alpha", "1"}});
  EXPECT_THAT(siblings.Values("scale"), ElementsAre(FloatNear(1 / 16.0f, 1e-6f), FloatNear(0.5f, 1e-6f)));
}

TEST(SmoothQuant, AWeightThatIsReadTwiceIsScaledOnce) {
  Siblings siblings(false);
  siblings.model.graph.SetInput(siblings.model.graph.Producer("b"), 1, "w1");
  siblings.Smooth({16, 1});
  for (const char* output : {"a", "b"}) {
    const std::string& weight = siblings.model.graph.Producer(output)->input(1);
    EXPECT_NEAR(siblings.Values(weight)[0], 4, 1e-5) << output;  // sigma = sqrt(16 / 1)
  }
}

TEST(LastAxisExtremes, MergesAndForgetsBlocksOfChannels) {
  const float values[] = {1, -5, 3, 2, INFINITY, 1};
  const auto both = LastAxisExtremes(2).Make(), one = LastAxisExtremes(2).Make(), other = LastAxisExtremes(2).Make();
  ASSERT_TRUE(both->Update(values, {.channels = 3, .inner = 2}, {}).ok());
  ASSERT_TRUE(one->Update(values, {.channels = 1, .inner = 2}, {}).ok());
  ASSERT_TRUE(other->Update(values + 2, {.channels = 2, .inner = 2}, {}).ok());
  ASSERT_TRUE(one->Merge(other->Serialize()).ok());
  EXPECT_EQ(one->Serialize(), both->Serialize());
  EXPECT_THAT(ParseLastAxisExtremes(one->Serialize()), ElementsAre(3, 5));
  ASSERT_TRUE(one->Update(values, {.outer = 2, .channels = 2}, {}).ok());
  EXPECT_THAT(ParseLastAxisExtremes(one->Serialize()), ElementsAre(3, 5));
  ASSERT_TRUE(one->Update(values, {.channels = 2, .inner = 1, .block = 2}, {}).ok());
  EXPECT_TRUE(one->Serialize().empty());
}

}  // namespace
}  // namespace preon
