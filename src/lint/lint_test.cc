#include "lint/lint.h"

#include <gtest/gtest.h>

#include "ir/model_io.h"
#include "ir/text_format.h"
#include "lint/lint_rules.h"

namespace preon {
namespace {

using Cause = std::pair<std::string, std::string>;

// The rule that explains node "n" of the graph, and the tensor or node that it names.
Cause CauseOf(const std::string& text) {
  Result<Model> model = ParseModelText("<ir_version: 10, opset_import: [\"\" : 21]>\n" + text);
  EXPECT_TRUE(model.ok()) << model.status().message();
  if (!model.ok()) return {};
  InferShapes(*model);
  const LintReport report = Lint(model->graph, {{"n", {KernelClass::kFloat, "Conv"}}});
  if (report.findings.size() != 1 || report.findings[0].nodes.size() != 1) return {"", "not one finding"};
  return {report.findings[0].rule, report.findings[0].nodes[0].detail};
}

constexpr char kConstants[] =
    "<float s = {0.5}, uint8 z = {128}, int8 i = {0}, uint16 h = {0}, float t = {0.25}, int8[2,2,1,1] w = {1, 2, 3, "
    "4}, "
    "float[2,2,1,1] v = {1, 2, 3, 4}, int8[2] b8 = {1, 2}, int32[2] b = {1, 2}, float p = {0.125}, float r = {0.2}>";

// A Conv with all that the runtime wants, but for what the arguments replace.
std::string Conv(const std::string& data, const std::string& weight, const std::string& bias,
                 const std::string& behind) {
  return std::string("g (float[1,2,4,4] x) => (float[1,2,4,4] y) ") + kConstants + "{\n" + data + weight + bias +
         "[n] c = Conv (d, e, f)\n" + behind + "}";
}
constexpr char kData[] = "[q] a = QuantizeLinear (x, s, z)\n[dq] d = DequantizeLinear (a, s, z)\n";
constexpr char kWeight[] = "[dqw] e = DequantizeLinear (w, t, i)\n";
constexpr char kBias[] = "[dqb] f = DequantizeLinear (b, p)\n";
constexpr char kBehind[] = "[q2] g = QuantizeLinear (c, s, z)\n[dq2] y = DequantizeLinear (g, s, z)\n";

TEST(Lint, NamesTheCauseOfAFloatConv) {
  EXPECT_EQ(CauseOf(Conv("[id] d = Relu (x)\n", kWeight, kBias, kBehind)),
            Cause("no_input_pair", "input 'd' has no QuantizeLinear/DequantizeLinear pair"));
  EXPECT_EQ(
      CauseOf(Conv("[q] a = QuantizeLinear (x, s, h)\n[dq] d = DequantizeLinear (a, s, h)\n", kWeight, kBias, kBehind)),
      Cause("wide_codes", "'d' has codes of type uint16"));
  EXPECT_EQ(CauseOf(Conv(kData, "[id] e = Identity (v)\n", kBias, kBehind)).first, "no_kernel");  // not constant
  EXPECT_EQ(CauseOf(Conv(kData, kWeight, "[dqb] f = DequantizeLinear (b8, p)\n", kBehind)),
            Cause("bias_scale", "bias 'f' has codes of type int8, wanted int32"));
  EXPECT_EQ(CauseOf(Conv(kData, kWeight, "[dqb] f = DequantizeLinear (b, r)\n", kBehind)),
            Cause("bias_scale", "the scale of bias 'f' is 0.2, wanted input scale x weight scale = 0.125"));
  EXPECT_EQ(CauseOf(Conv(kData, kWeight, kBias,
                         "[act] k = LeakyRelu (c)\n[q2] g = QuantizeLinear (k, s, z)\n"
                         "[dq2] y = DequantizeLinear (g, s, z)\n")),
            Cause("activation_before_pair", "LeakyRelu 'act' stands between it and the next QuantizeLinear"));
  EXPECT_EQ(CauseOf(Conv(kData, kWeight, kBias,
                         "[act] k = Relu (c)\n[q2] g = QuantizeLinear (k, s, z)\n"
                         "[dq2] y = DequantizeLinear (g, s, z)\n")),
            Cause("clamp_before_pair", "the codes after Relu 'act' reach beyond its bounds"));
  EXPECT_EQ(CauseOf(Conv(kData, kWeight, kBias, "[mul] y = Mul (c, c)\n")),
            Cause("no_output_pair", "no QuantizeLinear reads its result 'c'"));
  EXPECT_EQ(CauseOf(Conv(kData, kWeight, kBias, std::string(kBehind) + "[more] m = Relu (c)\n")),
            Cause("no_output_pair", "its result 'c' has other readers besides one QuantizeLinear"));
  EXPECT_EQ(
      CauseOf(Conv(kData, kWeight, kBias, "[q2] g = QuantizeLinear (c, s, i)\n[dq2] y = DequantizeLinear (g, s, i)\n")),
      Cause("types_differ", "'d' has uint8 codes, 'c' int8"));
  EXPECT_EQ(CauseOf(Conv("[q] a = QuantizeLinear (x, s, i)\n[dq] d = DequantizeLinear (a, s, i)\n", kWeight, kBias,
                         "[q2] g = QuantizeLinear (c, s, i)\n[dq2] y = DequantizeLinear (g, s, i)\n")),
            Cause("signed_activations", "'d' has int8 codes"));
  EXPECT_EQ(CauseOf(Conv(kData, kWeight, kBias, kBehind)).first, "unexplained");
}

TEST(Lint, NamesTheCauseOfOtherNodes) {
  EXPECT_EQ(CauseOf("g (float[2] x) => (float[2] y) {\n[n] y = Erf (x)\n}").first, "no_kernel");
  EXPECT_EQ(CauseOf("g (float[2] x, float[2] o) => (float[2] y) <float s = {0.5}, uint8 z = {0}> {\n"
                    "[q] a = QuantizeLinear (x, s, z)\n[dq] d = DequantizeLinear (a, s, z)\n[n] y = Add (d, o)\n}")
                .first,
            "no_input_pair");
  EXPECT_EQ(CauseOf("g (float[2] x) => (float[2] y) {\n[n] y = Softmax (x)\n}").first, "no_input_pair");
  EXPECT_EQ(CauseOf("g (float[2] x) => (float[2] y) {\n[n] y = Relu (x)\n}").first, "moves_floats");
  EXPECT_EQ(CauseOf("g (float[2,1] x) => (float[1,2] y) <float s = {0.5}, float t = {0.25}, uint8 z = {0}> {\n"
                    "[q] a = QuantizeLinear (x, s, z)\n[dq] d = DequantizeLinear (a, s, z)\n[n] m = Transpose (d)\n"
                    "[q2] b = QuantizeLinear (m, t, z)\n[dq2] y = DequantizeLinear (b, t, z)\n}"),
            Cause("codes_change", "scale or zero point of its input and its result differ"));
}

TEST(Lint, ShapeArithmeticIsNoFloatNode) {
  Result<Model> model = ParseModelText(
      "<ir_version: 10, opset_import: [\"\" : 21]>\n"
      "g (float[2] x) => (int64[1] y, float[2] e) <float s = {0.5}, uint8 z = {0}> {\n"
      "[q] a = QuantizeLinear (x, s, z)\n[dq] d = DequantizeLinear (a, s, z)\n[n] y = Shape (d)\n[f] e = Erf (d)\n}");
  ASSERT_TRUE(model.ok()) << model.status().message();
  InferShapes(*model);
  const ObservedKernel in_float{KernelClass::kFloat, "Shape"};
  const LintReport report = Lint(model->graph, {{"n", in_float}, {"f", in_float}});
  EXPECT_EQ(report.float_nodes, 1);
  ASSERT_EQ(report.findings.size(), 1u);
  ASSERT_EQ(report.findings[0].nodes.size(), 1u);
  EXPECT_EQ(report.findings[0].nodes[0].node, "f");
}

TEST(Lint, APadBetweenEqualCodesHasNothingToFix) {
  const auto cause = [](const char* behind) {
    return CauseOf(
        StrCat("g (float[2] x) => (float[4] y)\n"
               "<float s = {0.5}, float t = {0.25}, uint8 z = {0}, int64[2] ends = {1, 1}> {\n"
               "[q] a = QuantizeLinear (x, s, z)\n[dq] d = DequantizeLinear (a, s, z)\n"
               "[n] m = Pad (d, ends)\n[q2] b = QuantizeLinear (m, ",
               behind, ", z)\n", "[dq2] y = DequantizeLinear (b, ", behind, ", z)\n}"));
  };
  EXPECT_EQ(cause("s").first, "no_kernel");
  EXPECT_EQ(cause("t").first, "codes_change");
}

TEST(Lint, NodesThatWereLeftInFloatOnPurposeAreTold) {
  Result<Model> model =
      ParseModelText("<ir_version: 10, opset_import: [\"\" : 21]>\n" + Conv(kData, kWeight, kBias, kBehind));
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  InferShapes(*model);
  const LintReport report = Lint(model->graph, {{"n", {KernelClass::kFloat, "Conv"}}}, {{"c", "accuracy"}});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].rule, "left_in_float");
  EXPECT_EQ(report.findings[0].nodes[0].detail, "left in float on purpose when the model was quantized (accuracy)");
  EXPECT_FALSE(report.findings[0].speedup);
}

TEST(Lint, OperatorsOnIntegersDoWorkToo) {
  Result<Model> model = ParseModelText(
      "<ir_version: 10, opset_import: [\"\" : 21]>\n"
      "g (float[2,4] x, float[4,3] w) => (float[2,3] y, float[2,3] z)\n"
      "<uint8[4,3] b = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}> {\n[q] q, s, zero = DynamicQuantizeLinear (x)\n"
      "[n] i = MatMulInteger (q, b, zero)\n[c] f = Cast <to = 1> (i)\n[m] y = Mul (f, s)\n[o] z = MatMul (x, w)\n}");
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  InferShapes(*model);
  const LintReport report =
      Lint(model->graph, {{"n", {KernelClass::kInteger, "MatMulInteger"}}, {"o", {KernelClass::kFloat, "MatMul"}}});
  EXPECT_EQ(report.integer_macs_share, 0.5);
}

TEST(Lint, ScalesThatAreFoundInEachRunAreOneFinding) {
  Result<Model> model = ParseModelText(
      "<ir_version: 10, opset_import: [\"\" : 21]>\n"
      "g (float[1,1,4,4] x) => (float[1,1,4,4] y) <uint8[1,1,1,1] w = {3}, float ws = {0.1}, float[1,1,1,1] bias = "
      "{2}> {\n"
      "[q] q, s, zero = DynamicQuantizeLinear (x)\n[n] i = ConvInteger (q, w, zero)\n[c] f = Cast <to = 1> (i)\n"
      "[m] t = Mul (s, ws)\n[r] u = Mul (f, t)\n[b] v = Add (u, bias)\n[own] y = Mul (v, x)\n}");
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  InferShapes(*model);
  const ObservedKernel in_float{KernelClass::kFloat, ""};
  const LintReport report = Lint(model->graph, {{"q", in_float},
                                                {"n", {KernelClass::kInteger, "ConvInteger"}},
                                                {"c", in_float},
                                                {"m", in_float},
                                                {"r", in_float},
                                                {"b", in_float}});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].rule, "run_time_scales");
  EXPECT_EQ(report.findings[0].nodes.size(), 6u);
}

TEST(Lint, IntegerKernelsForInt8ActivationsAreAFindingToo) {
  Result<Model> model =
      ParseModelText("<ir_version: 10, opset_import: [\"\" : 21]>\n" +
                     Conv("[q] a = QuantizeLinear (x, s, i)\n[dq] d = DequantizeLinear (a, s, i)\n", kWeight, kBias,
                          "[q2] g = QuantizeLinear (c, s, i)\n[dq2] y = DequantizeLinear (g, s, i)\n"));
  ASSERT_TRUE(model.ok());
  InferShapes(*model);
  const LintReport report = Lint(model->graph, {{"n", {KernelClass::kInteger, "QLinearConv"}}});
  EXPECT_EQ(report.integer_nodes, 1);
  EXPECT_EQ(report.integer_macs_share, 1);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].pass, "unsigned_activations");
}

TEST(LintRules, TheLastExplainsAnyNode) {
  EXPECT_EQ(LintRules().back().name, "unexplained");
  EXPECT_EQ(RuleNamed("signed_activations").name, "signed_activations");
}

}  // namespace
}  // namespace preon
