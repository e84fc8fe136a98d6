#include "diff/model_diff.h"

#include <gtest/gtest.h>

#include "ir/model_io.h"
#include "ir/text_format.h"

namespace preon {
namespace {

constexpr char kHead[] = "<ir_version: 10, opset_import: [\"\" : 21]>\n";

Model Parse(const std::string& body, const char* head = kHead) {
  Result<Model> model = ParseModelText(head + body);
  EXPECT_TRUE(model.ok()) << model.status().message();
  InferShapes(*model);
  return std::move(model).value();
}

const ChangedTensor* Find(const ModelDiff& diff, const std::string& name) {
  for (const ChangedTensor& tensor : diff.tensors.changed) {
    if (tensor.a == name || (tensor.a.empty() && tensor.b == name)) return &tensor;
  }
  return nullptr;
}

// A MatMul as float, and with codes: scale of the data, of the weight, the weight's codes, and what tools call things.
constexpr char kFloat[] =
    "g (float[1,2] x) => (float[1,2] y) <float[2,2] w = {1, 2, 3, 4}> {\n[m] t = MatMul (x, w)\n[r] y = Relu (t)\n}";
std::string Coded(const std::string& scale, const std::string& weight_scale, const std::string& codes,
                  const std::string& result = "t", const std::string& node = "[m] ") {
  return "g (float[1,2] x) => (float[1,2] y) <float s = {" + scale + "}, uint8 z = {128}, float ws = {" + weight_scale +
         "}, int8 wz = {0}, int8[2,2] w_quantized = {" + codes +
         "}> {\n[q] xq = QuantizeLinear (x, s, z)\n[d] xd = DequantizeLinear (xq, s, z)\n"
         "[dw] wd = DequantizeLinear (w_quantized, ws, wz)\n" +
         node + result + " = MatMul (xd, wd)\n[r] y = Relu (" + result + ")\n}";
}

TEST(DiffModels, FindsNothingBetweenAModelAndItself) {
  for (const std::string& text : {std::string(kFloat), Coded("0.5", "1", "1, 2, 3, 4")}) {
    const Model model = Parse(text);
    const ModelDiff diff = DiffModels(model, model);
    EXPECT_TRUE(diff.same());
    EXPECT_EQ(diff.nodes.same, 2);
  }
}

TEST(DiffModels, SeesTheQuantizedModelAsTheFloatOneWithCodes) {
  const ModelDiff diff = DiffModels(Parse(kFloat), Parse(Coded("0.5", "1", "1, 2, 3, 4")));
  EXPECT_EQ(diff.nodes.same, 2);
  EXPECT_TRUE(diff.nodes.changed.empty() && diff.nodes.only_in_a.empty() && diff.nodes.only_in_b.empty());
  EXPECT_EQ(diff.tensors.quantized_a, 0);
  EXPECT_EQ(diff.tensors.quantized_b, 2);
  ASSERT_EQ(diff.tensors.changed.size(), 2u);
  const ChangedTensor *data = Find(diff, "x"), *weight = Find(diff, "w");
  ASSERT_TRUE(data != nullptr && weight != nullptr);
  EXPECT_TRUE(data->codes_a.empty() && !data->constant);
  ASSERT_EQ(data->codes_b.size(), 1u);
  EXPECT_EQ(data->codes_b[0].format, "uint8");
  EXPECT_EQ(data->codes_b[0].params, std::vector<QuantParams>({{0.5f, 128}}));
  EXPECT_EQ(RangeOfCodes(data->codes_b[0]), (Range{-64, 63.5}));
  ASSERT_TRUE(weight->values && weight->constant);
  EXPECT_EQ(weight->b, "w");
  EXPECT_EQ(weight->values->max_abs, 0);  // codes that decode to the float values
  EXPECT_FALSE(weight->values->codes_differ);
}

TEST(DiffModels, ComparesScalesAndCodes) {
  const ModelDiff diff = DiffModels(Parse(Coded("0.5", "1", "1, 2, 3, 4")), Parse(Coded("0.25", "1", "1, 2, 3, 5")));
  ASSERT_EQ(diff.tensors.changed.size(), 2u);
  EXPECT_EQ(Find(diff, "x")->codes_b[0].params[0].scale, 0.25f);
  const ChangedValues& values = *Find(diff, "w")->values;
  EXPECT_EQ(values.codes_differ, 0.25);
  EXPECT_EQ(values.max_abs, 1);
  EXPECT_NEAR(*values.sqnr_db, 14.771, 0.001);  // 10·log10(30)
}

TEST(DiffModels, FollowsNodesThatAreRenamed) {
  const ModelDiff diff =
      DiffModels(Parse(Coded("0.5", "1", "1, 2, 3, 4")), Parse(Coded("0.5", "1", "1, 2, 3, 4", "other", "[another] ")));
  EXPECT_TRUE(diff.same());
}

TEST(DiffModels, SeesThroughWhatOneModelHasFolded) {
  const Model clipped =
      Parse("g (float[1,2] x) => (float[1,2] y) {\n[s] t = Sin (x)\n[r] u = Relu (t)\n[c] y = Cos (u)\n}");
  const Model folded = Parse("g (float[1,2] x) => (float[1,2] z) {\n[a] v = Sin (x)\n[b] z = Cos (v)\n}");
  for (const bool turned : {false, true}) {
    const ModelDiff diff = turned ? DiffModels(folded, clipped) : DiffModels(clipped, folded);
    EXPECT_EQ(diff.nodes.same, 2) << turned;
    EXPECT_EQ(diff.nodes.only_in_a.size(), turned ? 0u : 1u);
    EXPECT_EQ(diff.nodes.only_in_b.size(), turned ? 1u : 0u);
    EXPECT_TRUE(diff.nodes.changed.empty());
  }
}

TEST(DiffModels, CodesBehindAFoldedNodeAreThoseOfWhatIsReadThere) {
  const std::string coded = "[q] c = QuantizeLinear (u, s, z)\n[d] ud = DequantizeLinear (c, s, z)\n";
  const std::string head = "g (float[1,2] x) => (float[1,2] y) <float s = {0.5}, uint8 z = {0}> {\n";
  const ModelDiff diff =
      DiffModels(Parse(head + "t = Sin (x)\n[r] u = Relu (t)\n" + coded + "[c] v = Cos (ud)\n[e] y = Exp (v)\n}"),
                 Parse("g (float[1,2] x) => (float[1,2] y) {\n[k] w = Sin (x)\n[l] k = Cos (w)\n[m] y = Exp (k)\n}"));
  EXPECT_EQ(diff.nodes.same, 3);
  ASSERT_EQ(diff.tensors.changed.size(), 1u);
  EXPECT_EQ(diff.tensors.changed[0].a, "u");
  EXPECT_EQ(diff.tensors.changed[0].b, "w");
}

TEST(DiffModels, AttributesThatGoWithoutSayingAreTheSame) {
  const std::string start = "g (float[1,1,4,4] x) => (float[1,1,4,4] y) <float[1,1,1,1] w = {2}> {\n[n] y = Conv ";
  const Model plain = Parse(start + "(x, w)\n}");
  EXPECT_TRUE(DiffModels(plain, Parse(start + "<strides: ints = [1, 1], group: int = 1> (x, w)\n}")).same());
  EXPECT_FALSE(DiffModels(plain, Parse(start + "<strides: ints = [2, 2]> (x, w)\n}")).same());
}

TEST(DiffModels, NamesNodesOfOneModelAndWhatChanged) {
  const ModelDiff diff = DiffModels(
      Parse("g (float[1,2] x) => (float[1,2] y) {\n[i] t = Identity (x)\n[s] y = Softmax <axis: int = 1> (t)\n}"),
      Parse("g (float[1,2] x, float[1] k) => (float[1,2] y) {\n[s] y = Softmax <axis: int = 0> (k)\n}"));
  ASSERT_EQ(diff.nodes.only_in_a.size(), 1u);
  EXPECT_EQ(diff.nodes.only_in_a[0].node, "i");
  ASSERT_EQ(diff.nodes.changed.size(), 1u);
  ASSERT_EQ(diff.nodes.changed[0].changes.size(), 2u);
  EXPECT_EQ(diff.nodes.changed[0].changes[0].what, "attribute axis");
  EXPECT_EQ(diff.nodes.changed[0].changes[1].what, "input 0");
  ASSERT_EQ(diff.header.size(), 1u);
  EXPECT_EQ(diff.header[0].what, "graph input 1");
  EXPECT_EQ(diff.header[0].a, "");
}

TEST(DiffModels, NamesAGraphOutputByItsOwnName) {
  const std::string quantized =
      "g (float[1,2] x) => (float[1,2] y) <float[2,2] w = {1, 2, 3, 4}, float s = {0.5}, uint8 z = {0}> {\n"
      "[m] t = MatMul (x, w)\n[r] y_input = Relu (t)\n[q] c = QuantizeLinear (y_input, s, z)\n"
      "[d] y = DequantizeLinear (c, s, z)\n}";
  const ModelDiff diff = DiffModels(Parse(kFloat), Parse(quantized));
  EXPECT_EQ(diff.nodes.same, 2);
  ASSERT_EQ(diff.tensors.changed.size(), 1u);
  EXPECT_EQ(diff.tensors.changed[0].b, "y");
}

TEST(DiffModels, ScalesThatDoNotFitTheirCodesAreNoValues) {
  std::string broken = Coded("0.5", "1", "1, 2, 3, 4");
  const std::string scalar = "float ws = {1}, int8 wz = {0}";
  broken.replace(broken.find(scalar), scalar.size(), "float[3] ws = {1, 1, 1}, int8[3] wz = {0, 0, 0}");
  Result<Model> model = ParseModelText(kHead + broken);
  ASSERT_TRUE(model.ok());
  const ModelDiff diff = DiffModels(Parse(kFloat), *model);
  ASSERT_TRUE(Find(diff, "w") != nullptr && Find(diff, "w")->values);
  EXPECT_FALSE(Find(diff, "w")->values->sqnr_db);
}

TEST(DiffModels, ComparesOpsets) {
  const ModelDiff diff = DiffModels(Parse(kFloat), Parse(kFloat, "<ir_version: 8, opset_import: [\"\" : 17]>\n"));
  ASSERT_EQ(diff.header.size(), 1u);
  EXPECT_EQ(diff.header[0].what, "opset of ai.onnx");
  EXPECT_EQ(diff.header[0].a + diff.header[0].b, "2117");
}

}  // namespace
}  // namespace preon
