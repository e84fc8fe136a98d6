#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "algorithms/algorithms.h"
#include "ir/test_graphs.h"
#include "quantize/targets/ort_cpu/ort_cpu_planner.h"
#include "quantize/write/apply_plan.h"

namespace preon {
namespace {

using test::GraphBuilder;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::IsEmpty;

/// x -> c1 -> r1 (Relu or Clip to 6) -> depthwise c2.
struct Depthwise : GraphBuilder {
  explicit Depthwise(const std::string& clamp = "Relu") : GraphBuilder({1, 4, 8, 8}) {
    Conv("x", "c1");
    if (clamp == "Clip") {
      model.graph.SetInitializer("low", Tensor::ScalarFloat(0));
      model.graph.SetInitializer("high", Tensor::ScalarFloat(6));
      Op("Clip", {"c1", "low", "high"}, "r1");
    } else {
      Op("Relu", {"c1"}, "r1");
    }
    Op("Conv", {"r1", Constant("c2_w", {4, 1, 1, 1}), Constant("c2_b", {4})}, "c2")->attributes["group"] = int64_t{4};
    Output("c2");
  }
};

/// x -> c1 -> r1, which c2 -> r2 -> c3 reads and an Add behind it -> r3 -> c4.
struct ResidualBlock : GraphBuilder {
  ResidualBlock() : GraphBuilder({1, 4, 8, 8}) {
    Conv("x", "c1");
    Op("Relu", {"c1"}, "r1");
    Conv("r1", "c2");
    Op("Relu", {"c2"}, "r2");
    Conv("r2", "c3");
    Op("Add", {"c3", "r1"}, "sum");
    Op("Relu", {"sum"}, "r3");
    Conv("r3", "c4");
    Output("c4");
  }
};

std::set<std::string> Requested(const Model& model, const PlanOptions& options = {}) {
  return MakeChannelScalesAlgorithm()->Needs(model.graph, *PlanForOrtCpu(model, options)).channel_extremes;
}

TEST(ChannelScales, BetweenLayers) {
  EXPECT_THAT(Requested(Depthwise("Relu").model), ElementsAre("r1"));
  EXPECT_THAT(Requested(Depthwise("Clip").model), ElementsAre("r1"));
  GraphBuilder dense({1, 4, 8, 8});
  dense.Conv("x", "c1");
  dense.Op("Relu", {"c1"}, "r1");
  dense.Conv("r1", "c2");
  dense.Output("c2");
  EXPECT_THAT(Requested(dense.model), ElementsAre("r1"));
}

TEST(ChannelScales, AlongResidualBlocks) {
  EXPECT_THAT(Requested(ResidualBlock().model), ElementsAre("c3", "r1", "r2", "r3"));
}

TEST(ChannelScales, NothingOfWhatIsReadElsewhere) {
  Depthwise second_reader;
  second_reader.Op("Exp", {"r1"}, "e");
  second_reader.Output("e");
  EXPECT_THAT(Requested(second_reader.model), IsEmpty());
  Depthwise output;
  output.Output("r1");
  EXPECT_THAT(Requested(output.model), IsEmpty());
}

TEST(ChannelScales, NothingBesideWeightsOfOthers) {
  Depthwise shared;
  shared.Op("Conv", {"c2", "c1_w"}, "c3");
  shared.Output("c3");
  EXPECT_THAT(Requested(shared.model), IsEmpty());
}

TEST(ChannelScales, NothingBesideWeightsOfOneScale) {
  EXPECT_THAT(Requested(Depthwise().model, {.per_channel = false}), IsEmpty());
}

Model Quantize(const Model& model, const TensorRanges& ranges, const CollectedStatistics& collected = {}) {
  const QuantPlan plan = *PlanForOrtCpu(model, {});
  WriteHooks hooks;
  for (const auto& algorithm : {MakeChannelScalesAlgorithm(), MakeBiasCorrectionAlgorithm()})
    hooks.push_back(*algorithm->Apply(model.graph, plan, collected));
  Result<Model> quantized = ApplyPlan(model, plan, ranges, hooks);
  EXPECT_TRUE(quantized.ok()) << quantized.status().ToString();
  return std::move(quantized).value();
}

// 6 · 255 / 255 is 6 in float32: the Clip is absorbed.
const std::map<std::string, Range> kRanges = {{"x", {-1, 1}}, {"r1", {0, 6}}, {"c2", {-1, 1}}};

// How often the channels of a Depthwise fit into the codes, by scales of weights.
std::vector<float> FactorsOf(const Depthwise& b, const ChannelExtremes& extremes) {
  const Graph plain = Quantize(b.model, kRanges).graph;
  const Graph scaled = Quantize(b.model, kRanges, {.channel_extremes = {{"r1", extremes}}}).graph;
  for (const char* codes : {"c1_w_quantized", "c2_w_quantized", "c1_b_quantized", "r1_zero_point"})
    EXPECT_TRUE(std::ranges::equal(scaled.Initializer(codes)->bytes(), plain.Initializer(codes)->bytes())) << codes;
  EXPECT_EQ(scaled.Initializer("r1_scale")->floats()[0], plain.Initializer("r1_scale")->floats()[0]);
  std::vector<float> factors;
  for (size_t channel = 0; channel < 4; ++channel) {
    const auto ratio = [&](const char* name) {
      return scaled.Initializer(name)->floats()[channel] / plain.Initializer(name)->floats()[channel];
    };
    factors.push_back(ratio("c1_w_scale"));
    EXPECT_FLOAT_EQ(ratio("c1_b_quantized_scale"), factors.back());
    EXPECT_FLOAT_EQ(ratio("c2_w_scale"), 1 / factors.back());
  }
  return factors;
}

// Beside depthwise weights, which have a scale per channel, nothing speaks against the largest factor.
TEST(ChannelScales, ScalesChangeAndCodesStay) {
  for (const char* clamp : {"Relu", "Clip"}) {
    EXPECT_THAT(FactorsOf(Depthwise(clamp), {{0, 0, 0, 0}, {6, 3, 1.5F, 6}}),
                ElementsAre(FloatEq(1), FloatEq(2), FloatEq(4), FloatEq(1)));
  }
}

TEST(ChannelScales, ChannelsThatAreCutOffOrHaveNoValuesStay) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_THAT(FactorsOf(Depthwise(), {{0, 0, inf, 0}, {12, 0, -inf, 6}}), Each(FloatEq(1)));
  EXPECT_THAT(FactorsOf(Depthwise(), {{0, 0, 0, 0}, {6, 1e-6F, 6, 6}}),
              ElementsAre(FloatEq(1), FloatEq(256), FloatEq(1), FloatEq(1)));
}

/// A ResidualBlock whose second channel counts most, with few codes in r1 and r3.
struct QuietChannel : ResidualBlock {
  QuietChannel() {
    for (const char* name : {"c2_w", "c4_w"}) {
      std::vector<float> values(16, 0.1F);
      for (size_t output = 0; output < 4; ++output) values[output * 4 + 1] = 5;
      model.graph.SetInitializer(name, Tensor::FromFloats({4, 4, 1, 1}, values));
    }
  }
  Graph With(const std::map<std::string, ChannelExtremes>& extremes) const {
    const TensorRanges ranges = {{"x", {-1, 1}},  {"r1", {0, 6}}, {"r2", {0, 6}},
                                 {"c3", {-8, 8}}, {"r3", {0, 6}}, {"c4", {-9, 9}}};
    return Quantize(model, ranges, {.channel_extremes = extremes}).graph;
  }
};
const ChannelExtremes kQuiet{{0, 0, 0, 0}, {6, 0.5F, 6, 6}}, kLoud{{0, 0, 0, 0}, {6, 6, 6, 6}};

// Of the three tensors that a channel goes through, the one counts in which it comes nearest to the limits.
TEST(ChannelScales, ATensorLimitsWhatItIsAddedTo) {
  const QuietChannel b;
  const Graph plain = b.With({});
  for (const float most : {0.5F, 1.0F, 8.0F}) {
    const ChannelExtremes of_branch{{-8, -most, 0, 0}, {8, 0, 8, 8}};
    const Graph scaled = b.With({{"r1", kQuiet}, {"r2", kLoud}, {"c3", of_branch}, {"r3", kQuiet}});
    const double wanted = std::max(1.0, 0.6 * std::min(12.0F, 8 / most));
    for (const char* weight : {"c1_w_scale", "c3_w_scale"}) {
      const std::span<const float> before = plain.Initializer(weight)->floats();
      const std::span<const float> after = scaled.Initializer(weight)->floats();
      EXPECT_FLOAT_EQ(after[0], before[0]);
      EXPECT_NEAR(after[1] / before[1], wanted, 0.05) << most;
    }
    const double code = scaled.Initializer("c2_w_quantized")->As<int8_t>()[1];
    EXPECT_NEAR(code * scaled.Initializer("c2_w_scale")->floats()[0] * wanted, 5, 0.05) << "reads what is scaled";
  }
}

// Nothing is known of a tensor that no sample has reached.
TEST(ChannelScales, ATensorWithoutExtremesStays) {
  const QuietChannel b;
  const Graph plain = b.With({}), scaled = b.With({{"r1", kQuiet}, {"r3", kQuiet}});
  for (const char* weight : {"c1_w_scale", "c2_w_scale", "c3_w_scale"})
    EXPECT_TRUE(std::ranges::equal(scaled.Initializer(weight)->bytes(), plain.Initializer(weight)->bytes())) << weight;
}

TEST(ChannelScales, AClampThatStaysKeepsItsChannels) {
  const Depthwise b("Clip");
  std::map<std::string, Range> wide = kRanges;
  wide["r1"] = {0, 8};
  const Graph graph = Quantize(b.model, wide, {.channel_extremes = {{"r1", {{0, 0, 0, 0}, {6, 3, 1.5f, 6}}}}}).graph;
  ASSERT_NE(graph.FindNode("r1_node"), nullptr);
  const Graph plain = Quantize(b.model, wide).graph;
  EXPECT_TRUE(std::ranges::equal(graph.Initializer("c1_w_scale")->bytes(), plain.Initializer("c1_w_scale")->bytes()));
}

// The mean of the divided channel is what the correction has to start from.
TEST(ChannelScales, BiasCorrectionIsTheSame) {
  const Depthwise b;
  CollectedStatistics collected{.channel_means = {{"r1", {1, 2, 0.5, 3}}}};
  const Graph plain = Quantize(b.model, kRanges, collected).graph;
  collected.channel_extremes["r1"] = {{0, 0, 0, 0}, {6, 3, 1.5f, 6}};
  const Graph scaled = Quantize(b.model, kRanges, collected).graph;
  for (size_t channel = 0; channel < 4; ++channel) {
    const auto bias = [&](const Graph& graph) {
      return static_cast<float>(graph.Initializer("c2_b_quantized")->As<int32_t>()[channel]) *
             graph.Initializer("c2_b_quantized_scale")->floats()[channel];
    };
    EXPECT_NEAR(bias(scaled), bias(plain), 2e-4);
  }
}

}  // namespace
}  // namespace preon
