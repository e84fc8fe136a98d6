#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "algorithms/algorithms.h"
#include "algorithms/equalization_patterns.h"
#include "ir/test_graphs.h"

namespace preon {
namespace {

using test::GraphBuilder;

using ::testing::FloatNear;
using ::testing::SizeIs;

const NodeFilter kEveryNode = [](const Node&) { return true; };

/// x -> c1 -> r1 -> c2 -> r2 -> c3, the second depthwise if wanted.
struct Chain : GraphBuilder {
  explicit Chain(bool depthwise = false, const std::string& between = "Relu") : GraphBuilder({1, 4, 8, 8}) {
    Conv("x", "c1");
    Op(between, {"c1"}, "r1");
    if (depthwise)
      Op("Conv", {"r1", Constant("c2_w", {4, 1, 1, 1}, 3), Constant("c2_b", {4})}, "c2")->attributes["group"] =
          int64_t{4};
    else
      Conv("r1", "c2");
    Op("Relu", {"c2"}, "r2");
    Conv("r2", "c3");
    // Channels of the second differ, so that balancing one of its sides unbalances the other.
    model.graph.SetInitializer("c3_w", Tensor::FromFloats({4, 4, 1, 1}, kUneven));
    Output("c3");
  }
  static inline const std::vector<float> kUneven = {9, 1, 2, 40, 1, 5, 3, 1, 7, 1, 60, 2, 1, 1, 1, 1};
  size_t Patterns() const { return FindEqualizationPatterns(model.graph, kEveryNode).size(); }
};

/// Conv weight [2, 1] with rows {a, b}, then [1, 2] with columns {c, d}: both channels are solved by hand.
Model TwoChannels(float a, float b, float c, float d) {
  GraphBuilder builder({1, 1, 8, 8});
  Graph& graph = builder.model.graph;
  graph.SetInitializer("w1", Tensor::FromFloats({2, 1, 1, 1}, std::vector<float>{a, b}));
  graph.SetInitializer("w2", Tensor::FromFloats({1, 2, 1, 1}, std::vector<float>{c, d}));
  builder.Op("Conv", {"x", "w1"}, "h", {1, 2, 8, 8});
  builder.Op("Relu", {"h"}, "r", {1, 2, 8, 8});
  builder.Op("Conv", {"r", "w2"}, "y", {1, 1, 8, 8});
  builder.model.graph.AddOutput("y", test::FloatInfo({1, 1, 8, 8}));
  return std::move(builder.model);
}

bool Equalize(Model& model, AlgorithmValues::Texts values = {}, const PlanOptions& plan = {}) {
  const auto plain = MakeCleAlgorithm();
  const auto configured = plain->Configured(AlgorithmValues(plain->options(), std::move(values)));
  const Result<bool> changed = (*configured)->RewriteFloat(model, kEveryNode, {}, plan);
  EXPECT_TRUE(changed.ok());
  return *changed;
}

std::vector<float> Values(const Model& model, const std::string& name) {
  const auto floats = model.graph.Initializer(name)->floats();
  return {floats.begin(), floats.end()};
}

TEST(Cle, RangesOfBothLayersBecomeTheirGeometricMean) {
  Model model = TwoChannels(8, 1, 2, 4);
  EXPECT_TRUE(Equalize(model));
  EXPECT_THAT(Values(model, "w1"), testing::ElementsAre(FloatNear(4, 1e-6f), FloatNear(2, 1e-6f)));
  EXPECT_THAT(Values(model, "w2"), testing::ElementsAre(FloatNear(4, 1e-6f), FloatNear(2, 1e-6f)));
}

TEST(Cle, ChannelsOfZerosAndSmallOnesStayAsTheyAre) {
  Model zeros = TwoChannels(0, 8, 2, 2);
  EXPECT_TRUE(Equalize(zeros));
  EXPECT_THAT(Values(zeros, "w1"), testing::ElementsAre(0, FloatNear(4, 1e-6f)));
  Model small = TwoChannels(0.3f, 8, 0.1f, 2);
  EXPECT_TRUE(Equalize(small));
  EXPECT_EQ(Values(small, "w1")[0], 0.3f);
  Model all = TwoChannels(0.3f, 8, 0.1f, 2);
  EXPECT_TRUE(Equalize(all, {{"use-threshold", "false"}}));
  EXPECT_NEAR(Values(all, "w1")[0], std::sqrt(0.03), 1e-6);
}

TEST(Cle, NoSteps) {
  Model model = TwoChannels(8, 1, 2, 4);
  EXPECT_FALSE(Equalize(model, {{"steps", "0"}}));
  EXPECT_EQ(Values(model, "w1")[0], 8);
}

TEST(Cle, OnlyLayersThatTheOptionsName) {
  const auto equalizes = [](const AlgorithmValues::Texts& values) {
    Model model = TwoChannels(8, 1, 2, 4);
    model.graph.nodes().front()->origins = {"a, [b]"};  // as a layer is called that a pass has merged
    return Equalize(model, values);
  };
  EXPECT_TRUE(equalizes({{"op-types", R"(["Conv"])"}, {"nodes", "[]"}, {"exclude", "[]"}}));
  EXPECT_FALSE(equalizes({{"op-types", "Gemm"}}));
  EXPECT_FALSE(equalizes({{"nodes", R"(["a, [b]"])"}}));  // a pair needs both
  EXPECT_FALSE(equalizes({{"exclude", R"(["a, [b]"])"}}));
  EXPECT_TRUE(equalizes({{"exclude", "a"}}));
}

TEST(Cle, SweepsUntilNothingChanges) {
  Chain once, often;
  EXPECT_TRUE(Equalize(once.model, {{"append-bias", "false"}}));
  EXPECT_TRUE(Equalize(often.model, {{"append-bias", "false"}, {"steps", "-1"}}));
  const std::vector<float> at_rest = Values(often.model, "c2_w");
  EXPECT_NE(Values(once.model, "c2_w"), at_rest);
  EXPECT_TRUE(Equalize(often.model, {{"append-bias", "false"}}));
  EXPECT_THAT(Values(often.model, "c2_w"), testing::Pointwise(FloatNear(1e-5f), at_rest));
}

TEST(Cle, ImplicitGroupWithCompat) {
  Model model = TwoChannels(8, 1, 2, 4);
  EXPECT_FALSE(Equalize(model, {}, {.compat = Compat::kQuark}));
  for (const auto& node : model.graph.nodes()) {
    if (node->Is("Conv")) node->attributes["group"] = int64_t{1};
  }
  EXPECT_TRUE(Equalize(model, {}, {.compat = Compat::kQuark}));
}

TEST(Cle, ASweepEndsWithTheFirstPair) {
  Chain chain;
  Equalize(chain.model, {{"append-bias", "false"}, {"use-threshold", "false"}});
  const std::vector<float> first = Values(chain.model, "c1_w"), second = Values(chain.model, "c2_w");
  for (size_t channel = 0; channel < 4; ++channel) {
    float of_first = 0, of_second = 0;
    for (size_t other = 0; other < 4; ++other) {
      of_first = std::max(of_first, std::abs(first[channel * 4 + other]));
      of_second = std::max(of_second, std::abs(second[other * 4 + channel]));
    }
    EXPECT_NEAR(of_first, of_second, 1e-6f * of_first);
  }
}

// One large channel in the first layer alone: the weights gain from balance, until the tensor between would lose more.
TEST(Cle, ByErrorGoesOnlyAsFarAsTheErrorFalls) {
  Model large = TwoChannels(8, 0.1f, 1, 1), largest = large, even = TwoChannels(2, 2, 3, 3);
  EXPECT_TRUE(Equalize(large, {{"balance", "error"}}));
  EXPECT_TRUE(Equalize(largest, {{"use-threshold", "false"}}));
  const auto spread = [](const Model& model) { return Values(model, "w1")[0] / Values(model, "w1")[1]; };
  EXPECT_LT(spread(large), 79);
  EXPECT_GE(spread(large), spread(largest) - 1e-3f);
  for (const size_t channel : {0u, 1u})
    EXPECT_NEAR(Values(large, "w1")[channel] * Values(large, "w2")[channel], channel == 0 ? 8 : 0.1, 1e-5);
  EXPECT_TRUE(Equalize(even, {{"balance", "error"}}));
  EXPECT_EQ(Values(even, "w1")[0], Values(even, "w1")[1]);
}

TEST(Cle, ByErrorTakesNoOptionsOfRanges) {
  const auto plain = MakeCleAlgorithm();
  for (const char* option : {"weight-threshold", "use-threshold", "append-bias"}) {
    const AlgorithmValues values(plain->options(), {{"balance", "error"}, {option, "1"}});
    EXPECT_EQ(plain->Configured(values).status().id(), ErrorId::kConflictingOptions) << option;
  }
}

TEST(Cle, ByErrorALayerStaysWhereTheTensorBetweenWouldLose) {
  // Balance would make the first channel's values ten times as large, and one scale serves both.
  Model model = TwoChannels(1, 1, 1, 100);
  model.graph.SetInitializer("w2", Tensor::FromFloats({1, 2, 1, 1}, std::vector<float>{100, 0.01f}));
  Model balanced = model;
  EXPECT_TRUE(Equalize(model, {{"balance", "error"}}));
  EXPECT_TRUE(Equalize(balanced, {{"use-threshold", "false"}}));
  EXPECT_LT(Values(model, "w1")[0], Values(balanced, "w1")[0]);
}

TEST(Cle, AWeightThatOthersReadGetsACopy) {
  Model model = TwoChannels(8, 1, 2, 4);
  model.graph.AddNode("Conv", {"x", "w1"}, {"z"});
  model.graph.AddOutput("z", test::FloatInfo({1, 2, 8, 8}));
  EXPECT_TRUE(Equalize(model));
  EXPECT_EQ(Values(model, "w1")[0], 8);
  EXPECT_NEAR(Values(model, model.graph.Producer("h")->input(1))[0], 4, 1e-6);
}

TEST(EqualizationPatterns, PairsAndTriples) {
  EXPECT_EQ(Chain().Patterns(), 2u);
  EXPECT_EQ(Chain(true).Patterns(), 3u);               // both pairs and the triple
  EXPECT_EQ(Chain(true, "LeakyRelu").Patterns(), 2u);  // the triple only takes Relu
  EXPECT_EQ(Chain(false, "Sigmoid").Patterns(), 1u);
}

TEST(EqualizationPatterns, NobodyElseMayReadWhatIsScaled) {
  Chain output;
  output.Output("r1");
  EXPECT_EQ(output.Patterns(), 1u);
  Chain reader;
  reader.Conv("c1", "c4");
  reader.Output("c4");
  EXPECT_EQ(reader.Patterns(), 1u);
}

TEST(EqualizationPatterns, PadOnlyWithWhatScales) {
  for (const float value : {0.0f, 1.0f}) {
    Chain chain(false, "Pad");
    chain.model.graph.SetInitializer("pads", Tensor::FromInt64s({8}, std::vector<int64_t>{0, 0, 1, 1, 0, 0, 1, 1}));
    chain.model.graph.SetInitializer("value", Tensor::ScalarFloat(value));
    chain.model.graph.SetInputs(chain.model.graph.Producer("r1"), {"c1", "pads", "value"});
    EXPECT_EQ(chain.Patterns(), value == 0 ? 2u : 1u);
  }
}

TEST(EqualizationPatterns, ExcludedNodesKeepTheirWeights) {
  const Chain chain;
  const NodeFilter without_last = [](const Node& node) { return node.output() != "c3"; };
  EXPECT_THAT(FindEqualizationPatterns(chain.model.graph, without_last), SizeIs(1));
}

}  // namespace
}  // namespace preon
