#include "handover/training_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handover/float_weights.h"
#include "handover/quant_node.h"
#include "handover/write_encodings.h"
#include "ir/model_io.h"
#include "ir/text_format.h"

namespace preon {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Model Parsed(const std::string& graph, const std::string& opset = "21") {
  Result<Model> model = ParseModelText("<ir_version: 10, opset_import: [\"\": " + opset + "]> " + graph);
  EXPECT_TRUE(model.ok()) << model.status().message();
  InferShapes(*model);
  return std::move(*model);
}

// x -> Conv with int8 weights (scales 0.5 and 0.25) and an int32 bias -> y, rounded to uint8 from 0 on.
Model QuantizedConv() {
  return Parsed(R"(g (float[1,1,4,4] x) => (float[1,2,4,4] y)
    <float s = {0.1}, uint8 z = {3}, float cs = {0.2}, uint8 cz = {0},
     int8[2,1,1,1] w_quantized = {4, -2}, float[2] ws = {0.5, 0.25}, int8[2] wz = {0, 0},
     int32[2] b_quantized = {100, -40}, float[2] bs = {0.05, 0.025}, int32[2] bz = {0, 0}>
    { xq = QuantizeLinear(x, s, z)  xd = DequantizeLinear(xq, s, z)
      w = DequantizeLinear<axis = 0>(w_quantized, ws, wz)  b = DequantizeLinear<axis = 0>(b_quantized, bs, bz)
      c = Conv(xd, w, b)
      cq = QuantizeLinear(c, cs, cz)  y = DequantizeLinear(cq, cs, cz) })");
}

std::vector<std::string> Operators(const Model& model) {
  std::vector<std::string> types;
  for (const auto& node : model.graph.nodes()) types.push_back(node->op_type);
  return types;
}

std::vector<float> Floats(const Model& model, const std::string& constant) {
  const Tensor* value = model.graph.Initializer(constant);
  if (value == nullptr) return {};
  return {value->floats().begin(), value->floats().end()};
}

TEST(TrainingForm, PairsBecomeQuantNodesAndTheFloatGraphHasNone) {
  const Result<TrainingForm> form = TrainingFormOf(QuantizedConv());
  ASSERT_TRUE(form.ok()) << form.status().message();
  EXPECT_THAT(Operators(form->float_model), ElementsAre("Conv", "Relu"));
  EXPECT_EQ(form->float_model.graph.Producer("y")->op_type, "Relu");
  EXPECT_THAT(Operators(form->fake_quant_model), ElementsAre("Quant", "Quant", "Conv", "Relu", "Quant"));
  EXPECT_THAT(Floats(form->float_model, "w"), ElementsAre(2, -0.5));
  EXPECT_THAT(Floats(form->float_model, "b"), ElementsAre(5, -1));
  EXPECT_THAT(Floats(form->fake_quant_model, "w_quant_scale"), ElementsAre(0.5, 0.25));
  EXPECT_EQ(form->fake_quant_model.graph.Initializer("w_quant_scale")->shape(), (Shape{2, 1, 1, 1}));
  EXPECT_THAT(Floats(form->fake_quant_model, "x_quant_zero_point"), ElementsAre(3));
  EXPECT_FALSE(form->float_model.opsets.contains(kQonnxDomain));
  EXPECT_TRUE(CheckModel(form->float_model).ok());
  ASSERT_EQ(form->tensors.size(), 3u);
  EXPECT_EQ(form->tensors[0].name, "x");
  EXPECT_EQ(form->tensors[1].name, "w");
  EXPECT_TRUE(form->tensors[1].constant);
  EXPECT_EQ(form->tensors[2].name, "y") << "the pair of a graph output has its name";
}

TEST(TrainingForm, TheFloatModelTellsWhatCodesReplaced) {
  const Model clipped = Parsed(R"(g (float[1,1,4,4] x) => (float[1,2,4,4] y)
    <float[2,1,1,1] w = {2.1, -0.4}, float low = {0}, float six = {6}> { c = Conv(x, w)  y = Clip(c, low, six) })");
  const Result<TrainingForm> form = TrainingFormOf(QuantizedConv(), &clipped.graph);
  ASSERT_TRUE(form.ok());
  const Node* clip = form->float_model.graph.Producer("y");
  ASSERT_EQ(clip->op_type, "Clip");
  EXPECT_THAT(Floats(form->float_model, clip->input(2)), ElementsAre(6));
  const Model plain =
      Parsed("g (float[1,1,4,4] x) => (float[1,2,4,4] y) <float[2,1,1,1] w = {2, 1}> { y = Conv(x, w) }");
  EXPECT_THAT(Operators(TrainingFormOf(QuantizedConv(), &plain.graph)->float_model), ElementsAre("Conv"));
}

TEST(TrainingForm, FloatWeightsKeepTheirCodes) {
  Result<TrainingForm> form = TrainingFormOf(QuantizedConv());
  ASSERT_TRUE(form.ok());
  const Model source =
      Parsed("g (float[1,1,4,4] x) => (float[1,2,4,4] y) <float[2,1,1,1] w = {2.1, 3}> { y = Conv(x, w) }");
  EXPECT_THAT(*TakeFloatWeights(source.graph, *form), ElementsAre(Field(&RoundingError::name, "w")));
  EXPECT_THAT(Floats(form->float_model, "w"), ElementsAre(2.1f, -0.5f + 0.49f * 0.25f)) << "3 has another code";
  EXPECT_EQ(Floats(form->fake_quant_model, "w"), Floats(form->float_model, "w"));
}

TEST(TrainingForm, FourBitsThatHoldFewerAreFewer) {
  const auto type_of = [](DataType type, const std::vector<int>& codes) {
    Model model = Parsed(R"(g (float[1,4] x) => (float[1,1] y) <int8[4,1] w_quantized = {1, 1, 1, 1}, float s = {0.5}>
      { w = DequantizeLinear(w_quantized, s)  y = MatMul(x, w) })");
    std::vector<uint8_t> packed;
    for (size_t i = 0; i < codes.size(); i += 2)
      packed.push_back(static_cast<uint8_t>((codes[i] & 15) | (codes[i + 1] & 15) << 4));
    model.graph.SetInitializer("w_quantized", Tensor::From<uint8_t>(type, {4, 1}, packed));
    return CodeTypeName(TrainingFormOf(model)->tensors.at(0));
  };
  EXPECT_EQ(type_of(DataType::kInt4, {-4, 3, 0, 1}), "int3");
  EXPECT_EQ(type_of(DataType::kInt4, {-4, 4, 0, 1}), "int4");
  EXPECT_EQ(type_of(DataType::kInt4, {-2, 1, 0, 1}), "int2");
  EXPECT_EQ(type_of(DataType::kUInt4, {7, 1, 0, 1}), "uint3");
}

TEST(TrainingForm, OneTensorWithTwoQuantizersIsSaid) {
  const Result<TrainingForm> form = TrainingFormOf(Parsed(R"(g (float[1,4] x) => (float[1,4] y, float[1,4] v)
    <float s = {0.1}, uint8 z = {3}, float t = {0.2}>
    { a = QuantizeLinear(x, s, z)  b = DequantizeLinear(a, s, z)  y = Sigmoid(b)
      c = QuantizeLinear(x, t, z)  d = DequantizeLinear(c, t, z)  v = Tanh(d) })"));
  ASSERT_TRUE(form.ok());
  EXPECT_EQ(form->tensors.size(), 1u);
  EXPECT_THAT(form->warnings, ElementsAre(HasSubstr("'x' has several quantizers")));
  EXPECT_THAT(Operators(form->fake_quant_model), ElementsAre("Quant", "Sigmoid", "Quant", "Tanh"));
}

TEST(TrainingForm, WhatIsNoIntegerStaysFloatAndIsSaid) {
  const Result<TrainingForm> form = TrainingFormOf(Parsed(R"(g (float[1,4] x) => (float[1,4] y)
    <float s = {0.1}, uint8 z = {3}, float8e4m3fn e = {0}>
    { a = QuantizeLinear(x, s, z)  b = DequantizeLinear(a, s, z)  c = Sigmoid(b)
      d = QuantizeLinear(c, s, e)  f = DequantizeLinear(d, s, e)  y = Tanh(f) })"));
  ASSERT_TRUE(form.ok()) << form.status().message();
  EXPECT_THAT(form->warnings, ElementsAre(HasSubstr("'c' is not rounded here: float8e4m3fn")));
  EXPECT_THAT(Operators(form->float_model), ElementsAre("Sigmoid", "Tanh"));
}

TEST(TrainingForm, CodesThatOthersReadCantBeExported) {
  const auto error = [](const std::string& nodes) {
    return std::string(
        TrainingFormOf(Parsed("g (float[1,4] x) => (float[4,1] y) <float s = {0.1}, uint8 z = {3}> {" + nodes + "}"))
            .status()
            .message());
  };
  EXPECT_THAT(error("a = QuantizeLinear(x, s, z)  [move] t = Transpose(a)  [deq] y = DequantizeLinear(t, s, z)"),
              HasSubstr("node deq: reads codes that no QuantizeLinear writes"));
  EXPECT_THAT(error("y = Transpose(x)"), HasSubstr("nothing to export"));
}

TEST(TrainingForm, EncodingsOfBothVersions) {
  const Result<TrainingForm> form = TrainingFormOf(QuantizedConv());
  ASSERT_TRUE(form.ok());
  const std::string second = EncodingsText(form->tensors);
  EXPECT_THAT(second, HasSubstr("\"2.0.0\""));
  EXPECT_THAT(second, HasSubstr("\"y_zero_point\": 3"));
  std::vector<std::string> left_out;
  EXPECT_THAT(FirstEncodingsText(form->tensors, left_out), HasSubstr("-128"));
  EXPECT_THAT(left_out, IsEmpty());
}

TEST(TrainingForm, BlocksHaveListsInLists) {
  const Result<TrainingForm> form = TrainingFormOf(Parsed(R"(g (float[1,4] x) => (float[1,2] y)
    <int8[4,2] w_quantized = {1, 2, 3, 4, 5, 6, 7, 8}, float[2,2] s = {1, 2, 3, 4}, int8[2,2] z = {0, 0, 0, 0}>
    { w = DequantizeLinear<axis = 0, block_size = 2>(w_quantized, s, z)  y = MatMul(x, w) })"));
  ASSERT_TRUE(form.ok()) << form.status().message();
  EXPECT_THAT(Floats(form->float_model, "w"), ElementsAre(1, 4, 3, 8, 15, 24, 21, 32));
  EXPECT_THAT(Floats(form->fake_quant_model, "w_quant_scale"), ElementsAre(1, 2, 1, 2, 3, 4, 3, 4));
  std::string text = EncodingsText(form->tensors);
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_THAT(text, HasSubstr("\"y_scale\":[[1.0,2.0],[3.0,4.0]],\"axis\":0,\"block_size\":2"));
  std::vector<std::string> left_out;
  EXPECT_THAT(FirstEncodingsText(form->tensors, left_out), Not(HasSubstr("\"bw\"")));
  EXPECT_THAT(left_out, ElementsAre("w"));
}

}  // namespace
}  // namespace preon
