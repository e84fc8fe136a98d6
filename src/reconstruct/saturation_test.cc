#include "reconstruct/saturation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/model_io.h"
#include "ir/test_models.h"

namespace preon {
namespace {

void AddQuantizer(Model& model, const std::string& from, const std::string& to, float scale) {
  model.graph.SetInitializer("s", Tensor::ScalarFloat(scale));
  model.graph.SetInitializer("z", Tensor::From<uint8_t>(DataType::kUInt8, {}, std::vector<uint8_t>{28}));
  model.graph.AddNode("QuantizeLinear", {from, "s", "z"}, {to});
}

void AddClip(Model& model, const std::string& from, const std::string& to, float min, float max) {
  model.graph.SetInitializer(to + "_min", Tensor::ScalarFloat(min));
  model.graph.SetInitializer(to + "_max", Tensor::ScalarFloat(max));
  model.graph.AddNode("Clip", {from, to + "_min", to + "_max"}, {to});
}

TEST(SaturationLimits, AreTheNarrowestOfWhatFollows) {
  Model model = test::EmptyModel({2});
  AddClip(model, "x", "a", -1, 50);
  AddQuantizer(model, "a", "q", 0.1F);  // -2.8 … 22.7
  model.graph.AddNode("DequantizeLinear", {"q", "s", "z"}, {"y"});
  model.graph.AddOutput("y", {.type = DataType::kFloat});
  InferShapes(model);
  const Range limits = SaturationLimits(model.graph, "x");
  EXPECT_FLOAT_EQ(limits.min, -1);
  EXPECT_FLOAT_EQ(limits.max, 22.7F);
}

TEST(SaturationLimits, BeginAtTheZeroOfRelu) {
  Model model = test::EmptyModel({2});
  model.graph.AddNode("Relu", {"x"}, {"a"});
  AddClip(model, "a", "y", -1, 6);
  model.graph.AddOutput("y", {.type = DataType::kFloat});
  InferShapes(model);
  EXPECT_EQ(SaturationLimits(model.graph, "x"), (Range{0, 6}));
}

TEST(SaturationLimits, NoneWhereSomebodySeesTheTensorItself) {
  Model model = test::EmptyModel({2});
  AddClip(model, "x", "y", -1, 6);
  model.graph.AddOutput("y", {.type = DataType::kFloat});
  model.graph.AddNode("Neg", {"x"}, {"other"});
  InferShapes(model);
  EXPECT_EQ(SaturationLimits(model.graph, "x"), (Range{-INFINITY, INFINITY}));
}

// y = Clip(2 · x, -3, 3), where the float weight is 2.5 and the bias 1, in float 0.5.
class SaturationTest : public ::testing::Test {
 protected:
  SaturationTest() : model_(test::EmptyModel({1, 1})) {
    Graph& graph = model_.graph;
    graph.SetInitializer("codes", Tensor::From<int8_t>(DataType::kInt8, {1, 1}, std::vector<int8_t>{2}));
    graph.SetInitializer("scale", Tensor::ScalarFloat(1));
    graph.SetInitializer("b", Tensor::FromFloats({1}, std::vector<float>{1}));
    graph.AddNode("DequantizeLinear", {"codes", "scale"}, {"w"});
    graph.AddNode("Gemm", {"x", "w", "b"}, {"a"}, "layer");
    AddClip(model_, "a", "y", -3, 3);
    graph.AddOutput("y", {.type = DataType::kFloat});
  }

  // What the layer lacks to a target, behind the limits, as far as the quadratic form knows: 0 = nothing.
  float Lacking(float x, float target) {
    const CodedLayer layer = CodedLayerOf(model_.graph, *model_.graph.FindNode("layer")).value();
    const FloatLayer in_float{.weight = Tensor::FromFloats({1, 1}, std::vector<float>{2.5F}), .bias = {0.5F}};
    const Saturation saturation(model_.graph, layer, in_float);
    Matrix input(1, 1), missing(1, 1);
    input.at(0, 0) = x;
    missing.at(0, 0) = target - (2.5F * x + 0.5F);
    const float* const targets[] = {&target};
    saturation.Relax(0, input.view(), targets, missing.view());
    return missing.at(0, 0) + (2.5F * x + 0.5F) - (2 * x + 1);
  }

  Model model_;
};

TEST_F(SaturationTest, WithinTheLimitsATargetStays) { EXPECT_FLOAT_EQ(Lacking(0.5F, 1), 1 - 2); }

TEST_F(SaturationTest, BeyondALimitTheLayerMayStayWhereItIs) {
  EXPECT_FLOAT_EQ(Lacking(4, 100), 0);    // it gives 9
  EXPECT_FLOAT_EQ(Lacking(-4, -100), 0);  // it gives -7
}

TEST_F(SaturationTest, ElseItShouldComeToTheLimit) {
  EXPECT_FLOAT_EQ(Lacking(0.5F, 100), 3 - 2);
  EXPECT_FLOAT_EQ(Lacking(-1, -100), -3 + 1);
}

// A layer of few codes, or of many, before a Relu.
size_t WaysBeforeRelu(int8_t code) {
  Model model = test::EmptyModel({1, 2});
  Graph& graph = model.graph;
  graph.SetInitializer("codes", Tensor::From<int8_t>(DataType::kInt8, {2, 1}, std::vector<int8_t>{code, -2}));
  graph.SetInitializer("scale", Tensor::ScalarFloat(1));
  graph.AddNode("DequantizeLinear", {"codes", "scale"}, {"w"});
  graph.AddNode("Gemm", {"x", "w"}, {"a"}, "layer");
  graph.AddNode("Relu", {"a"}, {"y"});
  graph.AddOutput("y", {.type = DataType::kFloat});
  const CodedLayer layer = CodedLayerOf(graph, *graph.FindNode("layer")).value();
  const FloatLayer in_float{.weight = Tensor::FromFloats({2, 1}, std::vector<float>{1, 1}), .bias = {0}};
  const Saturation saturation(graph, layer, in_float);
  EXPECT_EQ(saturation.judges(), saturation.ways() == 2);
  return saturation.ways();
}

TEST(Saturation, ZeroOfReluIsALimitOnlyWhereCodesLoseMuch) {
  EXPECT_EQ(WaysBeforeRelu(5), 2U);
  EXPECT_EQ(WaysBeforeRelu(100), 1U);
}

}  // namespace
}  // namespace preon
