#include "algorithms/channel_scales.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "algorithms/algorithms.h"
#include "algorithms/channel_division.h"
#include "ir/test_graphs.h"
#include "quantize/targets/ort_cpu/ort_cpu_planner.h"
#include "quantize/write/apply_plan.h"

namespace preon {
namespace {

using test::GraphBuilder;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::IsEmpty;

/// x -> c1 -> r1 (Relu or Clip to 6) -> depthwise c2 -> y.
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
  std::vector<std::string> Scalable() const { return ScalableTensors(model.graph, *PlanForOrtCpu(model, {})); }
};

TEST(ScalableTensors, BetweenAConvolutionAndADepthwiseOne) {
  EXPECT_THAT(Depthwise("Relu").Scalable(), ElementsAre("r1"));
  EXPECT_THAT(Depthwise("Clip").Scalable(), ElementsAre("r1"));
}

TEST(ScalableTensors, NobodyElseMayReadTheTensor) {
  Depthwise second_reader;
  second_reader.Conv("r1", "c3");
  second_reader.Output("c3");
  EXPECT_THAT(second_reader.Scalable(), IsEmpty());
  Depthwise output;
  output.Output("r1");
  EXPECT_THAT(output.Scalable(), IsEmpty());
}

TEST(ScalableTensors, NorTheWeights) {
  Depthwise shared;
  shared.Op("Conv", {"c2", "c1_w"}, "c3");
  shared.Output("c3");
  EXPECT_THAT(shared.Scalable(), IsEmpty());
}

TEST(ScalableTensors, DenseConvolutionsMixChannels) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Op("Relu", {"c1"}, "r1");
  b.Conv("r1", "c2");
  b.Output("c2");
  EXPECT_THAT(ScalableTensors(b.model.graph, *PlanForOrtCpu(b.model, {})), IsEmpty());
}

TEST(ScalableTensors, OneScalePerTensorCanNotTakeThem) {
  const Depthwise b;
  EXPECT_THAT(ScalableTensors(b.model.graph, *PlanForOrtCpu(b.model, {.per_channel = false})), IsEmpty());
}

TEST(ChannelFactors, AreTheShareOfTheCodesThatAChannelReaches) {
  const float inf = std::numeric_limits<float>::infinity();
  const ChannelExtremes extremes{{0, 0, 0, 0, inf}, {6, 3, 0.001f, 0, -inf}};
  EXPECT_THAT(ChannelFactors(extremes, {0, 6}), ElementsAre(1, 0.5f, 1.0f / 256, 1, 1));
  EXPECT_THAT(ChannelFactors({{0}, {12}}, {0, 6}), ElementsAre(1)) << "what was cut off stays cut off";
  EXPECT_THAT(ChannelFactors({{-1, -4}, {1, 2}}, {-4, 8}), ElementsAre(0.25f, 1)) << "both sides must fit";
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

TEST(ChannelScales, ScalesChangeAndCodesStay) {
  for (const char* clamp : {"Relu", "Clip"}) {
    const Depthwise b(clamp);
    const Graph plain = Quantize(b.model, kRanges).graph;
    const ChannelExtremes extremes{{0, 0, 0, 0}, {6, 3, 1.5f, 6}};
    const Graph scaled = Quantize(b.model, kRanges, {.channel_extremes = {{"r1", extremes}}}).graph;
    const float factors[] = {1, 0.5f, 0.25f, 1};
    for (const char* codes : {"c1_w_quantized", "c2_w_quantized", "c1_b_quantized", "r1_zero_point"})
      EXPECT_TRUE(std::ranges::equal(scaled.Initializer(codes)->bytes(), plain.Initializer(codes)->bytes())) << codes;
    EXPECT_EQ(scaled.Initializer("r1_scale")->floats()[0], plain.Initializer("r1_scale")->floats()[0]);
    for (size_t channel = 0; channel < 4; ++channel) {
      const auto scale = [&](const Graph& graph, const char* name) {
        return graph.Initializer(name)->floats()[channel];
      };
      EXPECT_THAT(scale(scaled, "c1_w_scale"), FloatEq(scale(plain, "c1_w_scale") / factors[channel]));
      EXPECT_THAT(scale(scaled, "c1_b_quantized_scale"),
                  FloatEq(scale(plain, "c1_b_quantized_scale") / factors[channel]));
      EXPECT_THAT(scale(scaled, "c2_w_scale"), FloatEq(scale(plain, "c2_w_scale") * factors[channel]));
    }
  }
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
