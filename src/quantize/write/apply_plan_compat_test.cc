// What QuantPlan::compat makes of weights, biases and scales.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/compat/compat_weights.h"
#include "ir/test_graphs.h"
#include "ir/text_format.h"
#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/targets/targets.h"
#include "quantize/write/apply_plan.h"

namespace preon {
namespace {

using test::GraphBuilder;

Model QuantizeCompat(const GraphBuilder& b, const PlanOptions& options, Range range,
                     std::vector<std::string>* warnings = nullptr) {
  const QuantPlan plan = *MakeQuarkTarget()->Plan(b.model, options);
  EXPECT_EQ(plan.compat, options.compat);
  TensorRanges ranges;
  for (const std::string& tensor : plan.ObservedTensors()) ranges[tensor] = range;
  const Result<Model> quantized = ApplyPlan(b.model, plan, ranges, {}, warnings);
  EXPECT_TRUE(quantized.ok()) << quantized.status().ToString();
  return *quantized;
}

// Their scale of the bias has beta in it, but with the extended quantizer, which computes it anew.
TEST(ApplyPlan, CompatOfBeta) {
  GraphBuilder b({2, 4});
  Node* gemm = b.Op("Gemm", {"x", b.Constant("w", {4, 3}), b.Constant("b", {3})}, "y", {2, 3});
  gemm->attributes["beta"] = 2.0f;
  b.Output("y");
  const auto bias_scale = [](const Model& model) { return model.graph.Initializer("b_quantized_scale")->floats()[0]; };
  const Model ours = QuantizeCompat(b, {.per_channel = false}, {-1, 1});
  const Model theirs = QuantizeCompat(b, {.compat = Compat::kQuark, .per_channel = false}, {-1, 1});
  EXPECT_EQ(ours.graph.FindNode("y_node")->Float("beta", 1), 1);
  EXPECT_EQ(theirs.graph.FindNode("y_node")->Float("beta", 1), 1);
  EXPECT_EQ(bias_scale(theirs), 2 * bias_scale(ours));
  Result<QuantPlan> extended = MakeQuarkTarget()->Plan(
      b.model, {.activation = DataType::kInt16, .compat = Compat::kQuark, .per_channel = false});
  ASSERT_TRUE(extended.ok());
  const TensorRanges ranges = {{"x", {-1, 1}}, {"y", {-1, 1}}};
  const float in_codes = bias_scale(*ApplyPlan(b.model, *extended, ranges));
  extended->beta_in_codes = false;
  EXPECT_EQ(bias_scale(*ApplyPlan(b.model, *extended, ranges)), 2 * in_codes);
  EXPECT_THAT(theirs.metadata, ::testing::Contains(std::pair<std::string, std::string>("preon.compat", "quark")));
  EXPECT_THAT(ours.metadata, ::testing::IsEmpty());
}

TEST(ApplyPlanCompat, AGemmLosesItsBeta) {
  GraphBuilder b({2, 4});
  Node* gemm = b.Op("Gemm", {"x", b.Constant("w", {4, 3}), b.Constant("b", {3})}, "y", {2, 3});
  gemm->attributes["beta"] = 2.0f;
  b.Output("y");
  PlanOptions options{.per_channel = false};
  options.op_list.bias.quantize = false;
  std::vector<std::string> warnings;
  EXPECT_EQ(QuantizeCompat(b, options, {-1, 1}, &warnings).graph.FindNode("y_node")->Float("beta", 1), 2);
  EXPECT_THAT(warnings, ::testing::IsEmpty());
  options.compat = Compat::kQuark;
  EXPECT_EQ(QuantizeCompat(b, options, {-1, 1}, &warnings).graph.FindNode("y_node")->Float("beta", 1), 1);
  EXPECT_THAT(warnings, ::testing::ElementsAre(::testing::HasSubstr("y_node: beta of this Gemm is dropped")));
}

// Codes of a symmetric range go below 0: the Relu is needed, and stays but for --compat.
TEST(ApplyPlanCompat, AClampIsLost) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c");
  b.Op("Relu", {"c"}, "r");
  b.Output("r");
  const auto has_relu = [&](Compat compat) {
    return QuantizeCompat(b, {.compat = compat}, {-1, 1}).graph.FindNode("r_node") != nullptr;
  };
  EXPECT_TRUE(has_relu(Compat::kOff));
  EXPECT_FALSE(has_relu(Compat::kQuark));
  EXPECT_FALSE(has_relu(Compat::kOnnxRuntime));
}

TEST(ApplyPlanCompat, MixedPrecisionRoundsWhatWasRounded) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c");
  b.Output("c");
  PlanOptions options{
      .activation = DataType::kInt16, .weight = DataType::kInt16, .compat = Compat::kQuark, .per_channel = false};
  const TensorOverride bytes{.type = DataType::kInt8};
  options.settings.overrides = {{"x", bytes}, {"c_w", bytes}};
  const auto domain = [](const Model& model, const std::string& node) { return model.graph.FindNode(node)->domain; };
  Model model = QuantizeCompat(b, options, {-1, 1});
  EXPECT_EQ(domain(model, "x_QuantizeLinear"), "com.microsoft");
  options.possible.layers.push_back({.input = bytes, .weight = bytes, .bias = {}, .output = {}});  // a search is on
  const QuantPlan plan = *MakeQuarkTarget()->Plan(b.model, options);
  EXPECT_EQ(plan.weights.at("c_w").codes_before->type, DataType::kInt16);
  model = QuantizeCompat(b, options, {-1, 1});
  EXPECT_EQ(domain(model, "x_QuantizeLinear"), "");
  EXPECT_EQ(domain(model, "c_w_DequantizeLinear"), "");
  EXPECT_EQ(domain(model, "c_QuantizeLinear"), "com.microsoft");
}

// They change what reads a tensor in the graph around an If; its branches go on to read what the Conv writes.
TEST(ApplyPlanCompat, BranchesReadInFrontOfPairs) {
  GraphBuilder b({1, 4, 8, 8});
  b.model = *ParseModelText(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[1, 4, 8, 8] x, bool flag) => (float[1, 4, 8, 8] y, float[1, 4, 8, 8] z)
      <float[1, 4, 8, 8] c, float[4, 4, 1, 1] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}> {
      [conv] c = Conv (x, w)
      [behind] z = Sigmoid (c)
      [if] y = If (flag) <then_branch = yes () => (float[1, 4, 8, 8] t) { [inside] t = Neg (c) },
                          else_branch = no () => (float[1, 4, 8, 8] e) { [same] e = Identity (c) }>
    })");
  const auto reads = [&](Compat compat, DataType type, const char* node, size_t input = 0) {
    return QuantizeCompat(b, {.activation = type, .compat = compat}, {-1, 1}).graph.FindNode(node)->input(input);
  };
  for (const DataType type : {DataType::kInt8, DataType::kBFloat16}) {
    EXPECT_EQ(reads(Compat::kOff, type, "inside").substr(0, 18), "c_DequantizeLinear");
    EXPECT_EQ(reads(Compat::kQuark, type, "inside"), "c");
    EXPECT_EQ(reads(Compat::kQuark, type, "same"), "c");
    EXPECT_EQ(reads(Compat::kQuark, type, "behind"), "c_DequantizeLinear_Output");
  }
}

TEST(BiasesOfQuark, AreCutWhereTheInputWasAligned) {
  const std::vector<float> values = {1, -1, 0.4f};
  const std::vector<QuantParams> weight = {{0.5f, 0}};
  EncodedBias bias = *compat::EncodeBias(values, 0.25f, weight, 1);
  EXPECT_THAT(bias.codes.As<int32_t>(), ::testing::ElementsAre(8, -8, 3));
  compat::AdjustBias(0.25f, weight, bias);
  EXPECT_THAT(bias.codes.As<int32_t>(), ::testing::ElementsAre(8, -8, 3));
  compat::AdjustBias(0.375f, weight, bias);
  EXPECT_THAT(bias.codes.As<int32_t>(), ::testing::ElementsAre(5, -5, 2));
  EXPECT_THAT(bias.scales, ::testing::ElementsAre(0.1875f));
}

TEST(ApplyPlan, CompatOfABiasThatDoesNotFit) {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("Conv", {"x", b.Constant("w", {4, 4, 1, 1}, 1e-3f), b.Constant("b", {4}, 7e4f)}, "c1");
  b.Output("c1");
  const auto codes = [&](Compat compat) {
    const Model quantized = QuantizeCompat(b, {.compat = compat}, {-2e-3f, 2e-3f});
    const std::span<const int32_t> all = quantized.graph.Initializer("b_quantized")->As<int32_t>();
    return std::vector<int32_t>(all.begin(), all.end());
  };
  EXPECT_THAT(codes(Compat::kQuark), ::testing::ElementsAre(INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN));
  for (Compat compat : {Compat::kOff, Compat::kOnnxRuntime}) {
    EXPECT_THAT(codes(compat), ::testing::Each(::testing::AllOf(::testing::Lt(INT32_MAX), ::testing::Gt(INT32_MIN))))
        << CompatName(compat);
  }
}

// A constant tensor's percentile there: [0.7, 0.69932], which 0 widens.
TEST(ApplyPlan, CompatTakesInvertedRanges) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Output("c1");
  const Model quantized = QuantizeCompat(b, {.compat = Compat::kQuark}, {0.7f, 0.69932f});
  EXPECT_EQ(quantized.graph.Initializer("x_scale")->floats()[0], static_cast<float>(0.69932f / 255.0));
}

TEST(ApplyPlan, CompatOfInt16ScalesOutOfReach) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Output("c1");
  std::vector<std::string> warnings;
  const PlanOptions options{
      .scale_type = ScaleType::kInt16, .weight_scale_type = ScaleType::kFloat32, .compat = Compat::kQuark};
  const Model quantized = QuantizeCompat(b, options, {-1, 1e8f}, &warnings);
  EXPECT_EQ(quantized.graph.Initializer("x_scale")->floats()[0], 0x1p-14f);
  EXPECT_THAT(warnings, ::testing::Contains("int16 scales reach from 2^-17 to 32767: 0 scales below and 2 above became "
                                            "2^-14, as in Quark, in 2 tensors, the first of them c1"));
}

}  // namespace
}  // namespace preon
