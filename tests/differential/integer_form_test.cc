#include "quantize/qdq_passes/integer_form.h"

#include <gtest/gtest.h>

#include "ir/model_io.h"
#include "ir/text_format.h"
#include "quantize/params/product_pairs.h"
#include "runtime/session.h"

namespace preon {
namespace {

// A Conv with Relu as NPUs get it; `w` and `b` are the scales of its weight and of its bias.
Model ConvForNpu(const std::string& w, const std::string& b) {
  Result<Model> model = ParseModelText(
      "<ir_version: 10, opset_import: [\"\" : 21]>\ng (float[1,2,3,3] x) => (float[1,2,3,3] y) <float s = {0.25}, int8 "
      "z "
      "= {0}, float sw = {" +
      w + "}, float sb = {" + b +
      "}, int8[2,2,1,1] w = {17, -90, 127, 3}, int8[2] b = {-5, 9}> {\n"
      "[q] a = QuantizeLinear (x, s, z)\n[dq] d = DequantizeLinear (a, s, z)\n[dqw] e = DequantizeLinear (w, sw, z)\n"
      "[dqb] f = DequantizeLinear (b, sb, z)\n[conv] c = Conv (d, e, f)\n[relu] r = Relu (c)\n"
      "[q2] g = QuantizeLinear (r, s, z)\n[dq2] y = DequantizeLinear (g, s, z)\n}");
  EXPECT_TRUE(model.ok()) << model.status().message();
  InferShapes(*model);
  return *std::move(model);
}

Tensor OutputOf(const Model& model) {
  const RunContext context;
  std::vector<float> values;
  for (int i = 0; i < 18; ++i) values.push_back(static_cast<float>(i * i % 19) - 9.1f);
  Result<Session> session = Session::OpenModel(model, {.threads = 1}, context);
  EXPECT_TRUE(session.ok()) << session.status().message();
  const auto outputs = session->Run({{"x", Tensor::FromFloats({1, 2, 3, 3}, values)}}, context);
  EXPECT_TRUE(outputs.ok()) << outputs.status().message();
  return outputs->front().tensor;
}

TEST(IntegerForm, ComputesTheSameInIntegers) {
  if (!ProcessorAddsPairsExactly()) GTEST_SKIP() << "this processor cuts off sums of two products";
  const Model model = ConvForNpu("0.0625", "0.125");
  const Result<Model> form = IntegerForm(model);
  ASSERT_TRUE(form.ok()) << form.status().message();
  const Node& conv = *form->graph.FindNode("conv");
  EXPECT_EQ(form->graph.TypeOf(form->graph.Producer(conv.input(2))->input(0)), DataType::kInt32);
  EXPECT_EQ(form->graph.TypeOf(form->graph.Producer(conv.input(0))->input(2)), DataType::kUInt8);
  EXPECT_EQ(form->graph.FindNode("relu")->op_type, "Clip");
  const Tensor expected = OutputOf(model), got = OutputOf(*form);
  EXPECT_TRUE(std::ranges::equal(expected.floats(), got.floats()));
}

// A bias finer than one product of codes can't be written in whole products.
TEST(IntegerForm, KeepsABiasThatIsFiner) {
  const Result<Model> form = IntegerForm(ConvForNpu("0.0625", "0.0078125"));
  ASSERT_TRUE(form.ok()) << form.status().message();
  const Node& conv = *form->graph.FindNode("conv");
  EXPECT_EQ(form->graph.TypeOf(form->graph.Producer(conv.input(2))->input(0)), DataType::kInt8);
}

// Results would differ by the rounding of products of scales.
TEST(IntegerForm, LeavesOtherScalesAlone) {
  const Result<Model> form = IntegerForm(ConvForNpu("0.07", "0.125"));
  ASSERT_TRUE(form.ok()) << form.status().message();
  EXPECT_EQ(form->graph.FindNode("relu")->op_type, "Relu");
}

}  // namespace
}  // namespace preon
