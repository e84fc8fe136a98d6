#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/test_graphs.h"
#include "quantize/plan/test_plans.h"
#include "quantize/targets/targets.h"

namespace preon {
namespace {

using test::GraphBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kChannels = 16;

// 16 channels everywhere: fewer are left in float.
class Net : public GraphBuilder {
 public:
  Net() : GraphBuilder({1, kChannels, 8, 8}) {}
  void Layer(const std::string& input, const std::string& output) {
    Conv(input, output, kChannels);
    model.graph.SetInfo(output, test::FloatInfo({1, kChannels, 8, 8}));
  }
  void Do(const std::string& type, std::vector<std::string> inputs, const std::string& output) {
    Op(type, std::move(inputs), output, {1, kChannels, 8, 8});
  }
  void LayerOf(const std::string& input, const std::string& output, Shape weight, int64_t groups) {
    Op("Conv", {input, Constant(output + "_w", std::move(weight))}, output, {1, kChannels, 8, 8})->attributes["group"] =
        groups;
  }
};

QuantPlan TensorrtPlan(const Model& model, PlanOptions options = {}) {
  options.activation = DataType::kInt8;
  Result<QuantPlan> plan = MakeTensorrtTarget()->Plan(model, options);
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  return plan.ok() ? *plan : QuantPlan{};
}

std::vector<std::string> CodedTensors(const QuantPlan& plan) {
  std::vector<std::string> names;
  for (const auto& [tensor, activation] : plan.activations) names.push_back(tensor);
  return names;
}

TEST(TensorrtTarget, LayersReadSignedCodesWithoutZeroPointsAndKeepFloatBiases) {
  Net net;
  net.Layer("x", "c");
  net.Output("c");
  const QuantPlan plan = TensorrtPlan(net.model);
  EXPECT_EQ(plan.target, "tensorrt");
  EXPECT_THAT(CodedTensors(plan), ElementsAre("x"));  // nothing reads codes of c
  EXPECT_EQ(plan.activations.at("x").format, (IntFormat{DataType::kInt8, true}));
  EXPECT_EQ(plan.weights.at("c_w").format, (IntFormat{DataType::kInt8, true}));
  EXPECT_EQ(plan.weights.at("c_w").axis, 0);
  ASSERT_EQ(plan.biases.size(), 1u);
  EXPECT_EQ(plan.biases[0].form, BiasForm::kFloat);
}

TEST(TensorrtTarget, NoPairLiesBetweenALayerAndItsActivationFunction) {
  Net net;
  net.Layer("x", "c1");
  net.Do("Relu", {"c1"}, "r");
  net.Layer("r", "c2");
  net.Do("Sigmoid", {"c2"}, "s");
  net.Do("Mul", {"c2", "s"}, "silu");
  net.Layer("silu", "c3");
  net.Output("c3");
  const QuantPlan plan = TensorrtPlan(net.model);
  EXPECT_THAT(CodedTensors(plan), ElementsAre("r", "silu", "x"));
  EXPECT_TRUE(plan.folded_clamps.empty());
  EXPECT_EQ(test::ReasonOf(plan, "s_node"), FloatReason::kNone);
}

TEST(TensorrtTarget, AConvolutionAddsTheCodesOfTheShortcut) {
  Net net;
  net.Layer("x", "c1");
  net.Do("Relu", {"c1"}, "r1");
  net.Layer("r1", "c2");
  net.Layer("c2", "c3");
  net.Do("Add", {"r1", "c3"}, "sum");
  net.Do("Relu", {"sum"}, "r2");
  net.Layer("r2", "c4");
  net.Output("c4");
  EXPECT_THAT(CodedTensors(TensorrtPlan(net.model)), ElementsAre("c2", "r1", "r2", "x"));
}

TEST(TensorrtTarget, OfTwoConvolutionsTheLongerPathAddsTheOther) {
  Net net;
  net.Layer("x", "main1");
  net.Layer("main1", "main2");
  net.Layer("x", "shortcut");
  net.Do("Add", {"shortcut", "main2"}, "sum");
  net.Layer("sum", "last");
  net.Output("last");
  EXPECT_THAT(CodedTensors(TensorrtPlan(net.model)), ElementsAre("main1", "shortcut", "sum", "x"));
}

TEST(TensorrtTarget, ASumThatNoLayerReadsStaysFloat) {
  Net net;
  net.Layer("x", "c1");
  net.Layer("c1", "c2");
  net.Do("Add", {"c2", "x"}, "sum");
  net.Output("sum");
  const QuantPlan plan = TensorrtPlan(net.model);
  EXPECT_THAT(CodedTensors(plan), ElementsAre("c1", "x"));
}

TEST(TensorrtTarget, ASumThatOthersReadToo) {
  Net net;  // c2 is written for c3, so the convolution can't add to it
  net.Layer("x", "c1");
  net.Layer("c1", "c2");
  net.Layer("c2", "c3");
  net.Do("Softmax", {"x"}, "other");
  net.Do("Add", {"c2", "other"}, "sum");
  net.Layer("sum", "c4");
  net.Output("c3");
  net.Output("c4");
  const QuantPlan plan = TensorrtPlan(net.model);
  EXPECT_THAT(CodedTensors(plan), ElementsAre("c1", "c2", "sum", "x"));
  EXPECT_EQ(test::ReasonOf(plan, "sum_node"), FloatReason::kNoGain);
}

TEST(TensorrtTarget, BehindASumBatchNormalizationIsAKernelOfItsOwn) {
  Net net;
  net.Layer("x", "c1");
  net.Layer("c1", "c2");
  net.Do("Add", {"c2", "c1"}, "sum");
  net.Do("BatchNormalization",
         {"sum", net.Constant("g", {16}), net.Constant("b", {16}), net.Constant("m", {16}), net.Constant("v", {16})},
         "n");
  net.Do("Relu", {"n"}, "r");
  net.Layer("r", "c3");
  net.Output("c3");
  EXPECT_THAT(CodedTensors(TensorrtPlan(net.model)), ElementsAre("c1", "r", "sum", "x"));
}

TEST(TensorrtTarget, OperandsOfAConcatTakeItsScaleAndMoversThatOfTheirInput) {
  Net net;
  net.Layer("x", "c1");
  net.Do("MaxPool", {"c1"}, "p");
  net.Do("Concat", {"c1", "p"}, "joined");
  net.Layer("joined", "c2");
  net.Layer("p", "c3");
  net.Output("c2");
  net.Output("c3");
  const QuantPlan plan = TensorrtPlan(net.model);
  EXPECT_THAT(CodedTensors(plan), ElementsAre("c1", "joined", "p", "x"));
  EXPECT_EQ(plan.activations.at("c1").shares, "joined");
  EXPECT_EQ(plan.activations.at("p").shares, "joined");
  EXPECT_EQ(plan.activations.at("joined").shares, "");
  EXPECT_EQ(test::ReasonOf(plan, "joined_node"), FloatReason::kNone);
}

TEST(TensorrtTarget, APoolReadsCodesWhereALayerFollows) {
  const auto net_with = [](bool layer) {
    Net net;
    net.Layer("x", "c1");
    net.Do("GlobalAveragePool", {"c1"}, "p");
    net.Do("Reshape", {"p", "shape"}, "flat");
    if (layer) net.Layer("flat", "c2");
    net.Output(layer ? "c2" : "flat");
    return net.model;
  };
  EXPECT_THAT(CodedTensors(TensorrtPlan(net_with(true))), ElementsAre("c1", "flat", "x"));
  const QuantPlan without = TensorrtPlan(net_with(false));
  EXPECT_THAT(CodedTensors(without), ElementsAre("x"));
  EXPECT_EQ(test::ReasonOf(without, "p_node"), FloatReason::kTail);
}

TEST(TensorrtTarget, WhatGainsNothingStaysFloat) {
  Net net;
  net.LayerOf("x", "few", {4, 16, 3, 3}, 1);  // 4 outputs, 16 inputs: in steps of eight
  net.LayerOf("x", "odd", {4, 12, 3, 3}, 1);
  net.LayerOf("x", "pointwise", {16, 1, 1, 1}, 16);
  net.LayerOf("x", "depthwise", {16, 1, 3, 3}, 16);
  net.Op("MatMul", {"x", net.Constant("narrow_w", {8, 8})}, "narrow", {1, 16, 8, 8});
  net.Op("MatMul", {"x", net.Constant("vector_w", {16, 16})}, "vector", {1, 16});
  net.Op("MatMul", {"x", "narrow"}, "scores", {1, 16, 8, 8});
  for (const char* output : {"few", "odd", "pointwise", "depthwise", "narrow", "scores"}) net.Output(output);
  const QuantPlan plan = TensorrtPlan(net.model);
  EXPECT_EQ(test::ReasonOf(plan, "few_node"), FloatReason::kNone);
  EXPECT_EQ(test::ReasonOf(plan, "odd_node"), FloatReason::kNoGain);
  EXPECT_EQ(test::ReasonOf(plan, "pointwise_node"), FloatReason::kNoGain);
  EXPECT_EQ(test::ReasonOf(plan, "depthwise_node"), FloatReason::kNone);
  EXPECT_EQ(test::ReasonOf(plan, "narrow_node"), FloatReason::kNoGain);
  EXPECT_EQ(test::ReasonOf(plan, "vector_node"), FloatReason::kNoGain);
  EXPECT_EQ(test::ReasonOf(plan, "scores_node"), FloatReason::kNotConstant);
}

TEST(TensorrtTarget, APadMovesCodesOnlyWhenItAddsZeros) {
  const auto pads_of = [](const char* mode, float value) {
    Net net;
    net.Layer("x", "c1");
    net.model.graph.SetInitializer("value", Tensor::FromFloats({}, std::vector{value}));
    net.Do("Pad", {"c1", "pads", "value"}, "p");
    net.model.graph.FindNode("p_node")->attributes["mode"] = std::string(mode);
    net.model.graph.SetInitializer("pads", Tensor::FromInt64s({8}, std::vector<int64_t>(8, 0)));
    net.Layer("p", "c2");
    net.Output("c2");
    return test::ReasonOf(TensorrtPlan(net.model), "p_node");
  };
  EXPECT_EQ(pads_of("constant", 0), FloatReason::kNone);
  EXPECT_EQ(pads_of("constant", 1), FloatReason::kNoKernel);
  EXPECT_EQ(pads_of("reflect", 0), FloatReason::kNoKernel);
}

TEST(TensorrtTarget, TransposedConvolutionsHaveOneScaleUnlessTheUserWantsMore) {
  Net net;
  net.Op("ConvTranspose", {"x", net.Constant("w", {16, 16, 2, 2})}, "t");
  net.Output("t");
  EXPECT_EQ(TensorrtPlan(net.model).weights.at("w").axis, -1);
  PlanOptions options;
  options.settings.overrides["w"].per_channel = true;
  EXPECT_EQ(TensorrtPlan(net.model, options).weights.at("w").axis, 1);
}

TEST(TensorrtTarget, ScalesPerChannelOfASharedWeightNeedOneAxisForAllItsReaders) {
  Net net;
  net.Op("ConvTranspose", {"x", net.Constant("w", {16, 16, 2, 2})}, "t");
  net.Op("ConvTranspose", {"x", "w"}, "u");
  net.Output("t");
  net.Output("u");
  PlanOptions options;
  options.settings.overrides["w"].per_channel = true;
  const WeightPlan same = TensorrtPlan(net.model, options).weights.at("w");
  EXPECT_EQ(same.axis, 1);
  EXPECT_THAT(same.nodes, ElementsAre("t_node", "u_node"));

  net.Op("Conv", {"x", "w"}, "c");
  net.Output("c");
  EXPECT_EQ(TensorrtPlan(net.model, options).weights.at("w").axis, -1);
}

TEST(TensorrtTarget, ExcludedNodesEndAKernel) {
  Net net;
  net.Layer("x", "c1");
  net.Do("Relu", {"c1"}, "r");
  net.Layer("r", "c2");
  net.Layer("c2", "c3");
  net.Output("c3");
  PlanOptions options;
  options.exclude.names = {"c2_node"};
  const QuantPlan plan = TensorrtPlan(net.model, options);
  EXPECT_THAT(CodedTensors(plan), ElementsAre("c2", "x"));
  EXPECT_EQ(test::ReasonOf(plan, "c2_node"), FloatReason::kExcluded);
}

TEST(TensorrtTarget, TypesAndZeroPointsThatTensorrtHasNot) {
  Net net;
  net.Layer("x", "c");
  net.Output("c");
  const auto target = MakeTensorrtTarget();
  PlanOptions settled;
  ASSERT_TRUE(target->SettleScales({}, &settled).ok());
  EXPECT_EQ(settled.activation, DataType::kInt8);
  EXPECT_EQ(settled.activation_symmetric, true);

  PlanOptions unsigned_codes;  // asked for by name
  ASSERT_TRUE(target->SettleScales({.activation = true}, &unsigned_codes).ok());
  EXPECT_FALSE(target->Takes(unsigned_codes));
  EXPECT_EQ(target->Plan(net.model, unsigned_codes).status().id(), ErrorId::kNotYetSupported);

  PlanOptions asymmetric;
  asymmetric.activation_symmetric = false;
  EXPECT_EQ(target->SettleScales({}, &asymmetric).id(), ErrorId::kConflictingOptions);

  settled.settings.overrides["x"].params = QuantParams{0.1f, 3};
  const Status moved = target->Plan(net.model, settled).status();
  EXPECT_EQ(moved.id(), ErrorId::kConflictingOptions);
  EXPECT_THAT(moved.ToString(), HasSubstr("overrides: x: got a zero point"));
}

TEST(TensorrtTarget, GivenScalesHaveNoZeroPointsEither) {
  Net net;
  net.Layer("x", "c");
  net.Output("c");
  const auto planned = [&](DataType type, int64_t zero_point) {
    PlanOptions options;
    options.activation = DataType::kInt8;
    options.given_scales["x"] = {.type = TensorType(type), .params = QuantParams{0.1f, zero_point}};
    return MakeTensorrtTarget()->Plan(net.model, options).status();
  };
  EXPECT_TRUE(planned(DataType::kInt8, 0).ok());
  EXPECT_TRUE(planned(DataType::kUInt8, 128).ok());  // the same codes
  const Status moved = planned(DataType::kUInt8, 127);
  EXPECT_EQ(moved.id(), ErrorId::kConflictingOptions);
  EXPECT_THAT(moved.ToString(), HasSubstr("--encodings: x: got a zero point"));
  const Status floating = planned(DataType::kFloat8E4M3FN, 0);
  EXPECT_EQ(floating.id(), ErrorId::kConflictingOptions);
  EXPECT_THAT(floating.ToString(), HasSubstr("--encodings: x: got type float8e4m3fn, wanted an integer type"));
}

TEST(TensorrtTarget, NoOperatorThatOlderVersionsDoNotRead) {
  const auto target = MakeTensorrtTarget();
  for (const char* pass : {"fuse_gelu", "fuse_layer_norm", "fuse_l2_norm"})
    EXPECT_FALSE(target->WantsPass(pass, true, {}));
  EXPECT_TRUE(target->WantsPass("fold_batch_norm", true, {}));
}

TEST(TensorrtTarget, EinsumAndGemmBecomeLayersWithKernels) {
  const auto target = MakeTensorrtTarget();
  for (const char* pass : {"convert_einsum", "fold_gemm_scalars"}) EXPECT_TRUE(target->WantsPass(pass, false, {}));
}

}  // namespace
}  // namespace preon
