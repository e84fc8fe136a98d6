#include <gtest/gtest.h>

#include <algorithm>

#include "formats/number_formats.h"
#include "formats/tensor_type.h"
#include "ir/model_io.h"
#include "ir/test_graphs.h"
#include "ir/text_format.h"
#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/plan/target.h"
#include "quantize/targets/targets.h"

namespace preon {
namespace {

using test::GraphBuilder;

Model ConvModel() {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Op("Softmax", {"c1"}, "s1");
  b.Output("s1");
  return std::move(b.model);
}

TEST(OrtTarget, SixteenBitsNeedOpset21) {
  const auto target = MakeOrtTarget();
  EXPECT_EQ(target->RequiredOpset({}), 13);
  EXPECT_EQ(target->RequiredOpset({.per_channel = false}), 11);
  EXPECT_EQ(target->RequiredOpset({.activation = DataType::kInt16}), 21);
  EXPECT_EQ(target->RequiredOpset({.weight = DataType::kUInt16}), 21);
  PlanOptions options;
  options.settings.overrides["x"].type = DataType::kUInt16;
  EXPECT_EQ(target->RequiredOpset(options), 21);
  options.op_list.pairs.contrib_domain = true;
  EXPECT_EQ(target->RequiredOpset(options), 13);
}

// The extended quantizer has com.microsoft's operators for them.
TEST(QuarkTarget, SixteenBitsNeedNoOpset) {
  const auto target = MakeQuarkTarget();
  EXPECT_EQ(target->RequiredOpset({}), 13);
  EXPECT_EQ(target->RequiredOpset({.per_channel = false}), 10);
  EXPECT_EQ(target->RequiredOpset({.activation = DataType::kInt16}), 13);
}

TEST(QuarkTarget, TakesEveryTypeOfTheRegistry) {
  const Model model = ConvModel();
  for (const auto& target : {MakeQuarkTarget(), MakeSimulateTarget()}) {
    for (const auto& format : NumberFormats().entries()) {
      PlanOptions of_tensor;
      of_tensor.settings.overrides["x"].type = TensorType(*format);
      for (const PlanOptions& options :
           {PlanOptions{.activation = TensorType(*format), .weight = TensorType(*format)}, of_tensor}) {
        const Result<QuantPlan> plan = target->Plan(model, options);
        ASSERT_TRUE(plan.ok()) << format->name() << ": " << plan.status().ToString();
        const ActivationPlan& x = plan->activations.at("x");
        EXPECT_EQ(x.block.has_value(), format->block() != nullptr);
        EXPECT_EQ(x.format.type, format->onnx_type());
      }
    }
    const Result<QuantPlan> three_bits = target->Plan(model, {.weight = *ParseWeightType("int3")});
    ASSERT_TRUE(three_bits.ok());
    EXPECT_EQ(three_bits->weights.begin()->second.format, (IntFormat{DataType::kInt4, true, false, 3}));
  }
}

TEST(QuarkTarget, ScalesThatATypeHasNotAreErrors) {
  const TensorType bfp16 = *ParseTensorType("bfp16");
  PlanOptions scaled_blocks, asymmetric;
  scaled_blocks.settings.overrides["x"] = {.type = bfp16, .params = QuantParams{0.5f, 0}};
  asymmetric.activation = DataType::kFloat8E4M3FN;
  asymmetric.activation_symmetric = false;
  const auto error = [](const PlanOptions& options) {
    return MakeQuarkTarget()->Plan(ConvModel(), options).status().id();
  };
  EXPECT_EQ(error(scaled_blocks), ErrorId::kBadConfig);
  EXPECT_EQ(error(asymmetric), ErrorId::kFormatCombination);
  EXPECT_EQ(error({.weight = bfp16, .block_size = 32}), ErrorId::kFormatCombination);
  EXPECT_EQ(error({.weight = DataType::kBFloat16, .block_size = 32}), ErrorId::kFormatCombination);
}

TEST(QuarkTarget, WhatIsCalibrated) {
  const auto target = MakeQuarkTarget();
  const TensorType bfp16 = *ParseTensorType("bfp16");
  EXPECT_TRUE(target->NeedsStatistics({}));
  EXPECT_FALSE(target->NeedsStatistics({.activation = bfp16}));
  EXPECT_FALSE(target->NeedsStatistics({.activation = DataType::kBFloat16}));
  EXPECT_TRUE(target->NeedsStatistics({.activation = DataType::kFloat8E5M2}));
  const PlanOptions scaled{.activation = DataType::kBFloat16, .scaled = {.activation = true}};
  EXPECT_TRUE(target->NeedsStatistics(scaled));
  EXPECT_FALSE(target->Plan(ConvModel(), scaled)->RangeTensors().empty());
  EXPECT_TRUE(target->Plan(ConvModel(), {.activation = DataType::kBFloat16})->RangeTensors().empty());
}

// The codes of its bias have one scale, or one for each index of axis 0.
TEST(OrtTarget, ANormalizationOverSeveralDimensionsHasOneScale) {
  Result<Model> model = ParseModelText(
      "<ir_version: 8, opset_import: [\"\": 17]>\ng (float[1,2,3] x) => (float[1,2,3] y) <float[2,3] w = {1, 2, 3, 4, "
      "5, "
      "6}, float[2,3] b = {1, 2, 3, 4, 5, 6}> {\n[n] y = LayerNormalization <axis = 1> (x, w, b)\n}");
  ASSERT_TRUE(model.ok()) << model.status().message();
  InferShapes(*model);
  const Result<QuantPlan> plan = MakeOrtTarget()->Plan(*model, {});
  ASSERT_TRUE(plan.ok() && plan->weights.contains("w"));
  EXPECT_EQ(plan->weights.at("w").axis, -1);
}

TEST(QuarkTarget, BiasesAreInt32CodesOnlyBesideShortCodes) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Output("c1");
  const std::string bias = b.model.graph.nodes().front()->input(2);
  ASSERT_FALSE(bias.empty());
  const TensorType mx9 = *ParseTensorType("mx9");
  const auto plan = [&](const Target& target, const PlanOptions& options) { return *target.Plan(b.model, options); };
  EXPECT_EQ(plan(*MakeQuarkTarget(), {}).biases.size(), 1u);
  ASSERT_EQ(plan(*MakeQuarkTarget(), {.weight = mx9}).biases.size(), 1u);
  EXPECT_EQ(plan(*MakeQuarkTarget(), {.weight = mx9}).biases[0].form, BiasForm::kAsWeight);
  EXPECT_TRUE(plan(*MakeQuarkTarget(), {.weight = mx9}).weights.at(bias).block.has_value());
  EXPECT_FALSE(plan(*MakeSimulateTarget(), {.weight = mx9}).weights.contains(bias));
  const QuantPlan grouped = plan(*MakeSimulateTarget(), {.weight = DataType::kInt4, .block_size = 2});
  EXPECT_FALSE(grouped.weights.contains(bias));
  ASSERT_EQ(grouped.biases.size(), 1u);  // corrected as a float
  EXPECT_FALSE(grouped.biases[0].form == BiasForm::kInt32Codes);
  // The runtime would quantize a float bias beside codes by itself.
  EXPECT_EQ(grouped.float_regions.size(), 1u);
  EXPECT_TRUE(plan(*MakeSimulateTarget(), {}).float_regions.empty());
}

// x -> c1 -> Relu -> c2 -> Add of both: sums are exact, as where blocks are multiplied in hardware.
TEST(SimulateTarget, BlocksOfOperandsAlone) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Op("Relu", {"c1"}, "r1");
  b.Conv("r1", "c2");
  b.Op("Add", {"c2", "r1"}, "sum");
  b.Output("sum");
  const auto activations = [&](const PlanOptions& options) {
    const QuantPlan plan = *MakeSimulateTarget()->Plan(b.model, options);
    std::set<std::string> tensors;
    for (const auto& [tensor, activation] : plan.activations) tensors.insert(tensor);
    EXPECT_EQ(plan.dequantize_for_all_readers, tensors.contains("sum"));
    return tensors;
  };
  const TensorType mx9 = *ParseTensorType("mx9");
  EXPECT_EQ(activations({.activation = mx9, .weight = mx9}), (std::set<std::string>{"x", "r1"}));
  EXPECT_TRUE(activations({.activation = mx9, .weight = mx9, .compat = Compat::kQuark}).contains("sum"));
  EXPECT_TRUE(activations({.activation = DataType::kInt8, .weight = mx9}).contains("sum"));
}

// Codes, but of what the runtime would make a kernel that it then refuses to run.
TEST(SimulateTarget, FormsThatTheRuntimeTakes) {
  const auto form = [](const Target& target, DataType activation, TensorType weight,
                       std::optional<int64_t> block_size = {}) {
    const PlanOptions options{.activation = activation, .weight = weight, .block_size = block_size};
    return target.Plan(ConvModel(), options)->weights.at("c1_w").form;
  };
  const auto simulate = MakeSimulateTarget(), quark = MakeQuarkTarget();
  EXPECT_EQ(form(*simulate, DataType::kUInt8, DataType::kInt8), WeightForm::kPacked);
  EXPECT_EQ(form(*simulate, DataType::kBFloat16, DataType::kInt8), WeightForm::kPacked);
  EXPECT_EQ(form(*simulate, DataType::kBFloat16, DataType::kInt4), WeightForm::kPacked);
  EXPECT_EQ(form(*simulate, DataType::kBFloat16, DataType::kInt16), WeightForm::kPacked);
  EXPECT_EQ(form(*simulate, DataType::kInt16, DataType::kFloat16), WeightForm::kFolded);
  EXPECT_EQ(form(*simulate, DataType::kBFloat16, DataType::kFloat16), WeightForm::kPacked);
  EXPECT_EQ(form(*simulate, DataType::kUInt8, DataType::kInt32), WeightForm::kFolded);
  EXPECT_EQ(form(*quark, DataType::kUInt8, DataType::kInt32), WeightForm::kOperators);
  EXPECT_EQ(form(*quark, DataType::kUInt8, DataType::kFloat8E5M2), WeightForm::kFolded);
  EXPECT_EQ(form(*quark, DataType::kBFloat16, DataType::kInt8), WeightForm::kPacked);
  EXPECT_EQ(form(*simulate, DataType::kUInt8, DataType::kInt8, 2), WeightForm::kFolded);
  EXPECT_EQ(form(*simulate, DataType::kUInt8, DataType::kInt4, 2), WeightForm::kPacked);
}

// ONNX Runtime makes MatMulNBits, which rounds activations to 8 bits, of MatMul whose weight alone is codes.
TEST(SimulateTarget, ActivationsWithoutPairsStayAsExactAsTheyAre) {
  GraphBuilder b({2, 16});
  b.Op("MatMul", {"x", b.Constant("w", {16, 8})}, "y", {2, 8});
  b.Output("y");
  const auto made = [&](const Target& target, const PlanOptions& options) {
    const QuantPlan plan = *target.Plan(b.model, options);
    const bool warns = std::ranges::any_of(plan.warnings, [](const std::string& warning) {
      return warning.find("qdq_matmulnbits_accuracy_level=1") != std::string::npos &&
             warning.find("y_node") != std::string::npos;
    });
    return std::pair(plan.weights.at("w").form, warns);
  };
  using Made = std::pair<WeightForm, bool>;
  constexpr Made kFolded{WeightForm::kFolded, false}, kPacked{WeightForm::kPacked, false},
      kTold{WeightForm::kPacked, true};
  const auto simulate = MakeSimulateTarget(), quark = MakeQuarkTarget(), ort = MakeOrtTarget();
  for (const TensorType& type : {TensorType(DataType::kInt32), TensorType(DataType::kBFloat16),
                                 TensorType(DataType::kFloat8E4M3FN), *ParseTensorType("mxint8")}) {
    EXPECT_EQ(made(*simulate, {.activation = type, .weight = DataType::kInt8}), kFolded) << type.name();
    EXPECT_EQ(made(*simulate, {.activation = type, .weight = DataType::kInt4}), kTold) << type.name();
    EXPECT_EQ(made(*simulate, {.activation = type, .weight = DataType::kInt16}), kPacked) << type.name();
    EXPECT_EQ(made(*quark, {.activation = type, .weight = DataType::kInt8}), kTold) << type.name();
  }
  for (const DataType type : {DataType::kUInt8, DataType::kInt16})
    for (const auto& target : {simulate.get(), quark.get(), ort.get()})
      EXPECT_EQ(made(*target, {.activation = type, .weight = DataType::kInt8}), kPacked) << DataTypeName(type);
  // The runtime leaves an operator behind a Cast alone.
  EXPECT_EQ(made(*simulate, {.activation = DataType::kFloat16, .weight = DataType::kInt8}), kPacked);
  PlanOptions weights_only{.weight = DataType::kUInt8};
  weights_only.op_list.selection.weights_only = true;
  EXPECT_EQ(made(*ort, weights_only), kTold);
  EXPECT_EQ(made(*simulate,
                 {.activation = DataType::kBFloat16, .weight = DataType::kInt8, .weight_form = WeightForm::kPacked}),
            kTold);
}

TEST(QuarkTarget, BlocksAndZeroPointsOfOverridesStayWhereTheyAre) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Op("MaxPool", {"c1"}, "m1");
  b.Output("m1");
  PlanOptions options{.activation = DataType::kInt16};
  options.settings.overrides["c1"].type = *ParseTensorType("bfp16");
  const Result<QuantPlan> plan = MakeQuarkTarget()->Plan(b.model, options);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  EXPECT_TRUE(plan->activations.at("c1").block.has_value());
  EXPECT_EQ(plan->activations.at("m1").shares, "");
  EXPECT_EQ(plan->activations.at("m1").format.type, DataType::kInt16);
  options.settings.overrides["c1"] = {.type = DataType::kBFloat16, .params = QuantParams{0.5f, 1}};
  EXPECT_EQ(MakeQuarkTarget()->Plan(b.model, options).status().id(), ErrorId::kBadConfig);
}

TEST(QuarkTarget, BlocksNeedNoOpsetOfScales) {
  const TensorType bfp16 = *ParseTensorType("bfp16");
  EXPECT_EQ(MakeQuarkTarget()->RequiredOpset({.activation = bfp16, .weight = bfp16}), 10);
}

TEST(QuarkTarget, OverridesReachWeightsAndFixedRanges) {
  PlanOptions options;
  options.settings.overrides["c1_w"] = {.type = DataType::kUInt8, .params = QuantParams{0.5f, 255}};
  options.settings.overrides["s1"].range = Range{0, 0.5f};
  const Result<QuantPlan> plan = MakeQuarkTarget()->Plan(ConvModel(), options);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  const WeightPlan& weight = plan->weights.at("c1_w");
  EXPECT_EQ(weight.format.type, DataType::kUInt8);
  EXPECT_EQ(weight.params, (QuantParams{0.5f, 255}));
  EXPECT_EQ(weight.axis, -1);
  EXPECT_EQ(plan->activations.at("s1").fixed, (Range{0, 0.5f}));
}

TEST(QuarkTarget, ZeroPointsOfOverridesAreCodesOfTheTensor) {
  PlanOptions options;
  options.settings.overrides["c1_w"].params = QuantParams{0.5f, 500};
  const Result<QuantPlan> plan = MakeQuarkTarget()->Plan(ConvModel(), options);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.status().id(), ErrorId::kBadConfig);
  EXPECT_EQ(plan.status().message(), "overrides: c1_w: zero_point: got 500, wanted an integer from -128 to 127 (int8)");
}

}  // namespace
}  // namespace preon
