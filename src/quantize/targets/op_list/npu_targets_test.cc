#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/test_graphs.h"
#include "quantize/plan/test_plans.h"
#include "quantize/targets/targets.h"

namespace preon {
namespace {

using test::GraphBuilder;
using test::ReasonOf;

Result<PlanOptions> Settled(PlanOptions options, const GivenScales& given = {}) {
  PREON_RETURN_IF_ERROR(MakeNpuCnnTarget()->SettleScales(given, &options));
  return options;
}

TEST(NpuCnn, ScalesArePowersOfTwoAndOnePerTensor) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c");
  b.Op("AveragePool", {"c"}, "p");
  b.Output("p");
  const Result<QuantPlan> plan = MakeNpuCnnTarget()->Plan(b.model, *Settled({}));
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  EXPECT_TRUE(plan->positions.has_value());
  EXPECT_TRUE(plan->dpu.average_pool);
  EXPECT_FALSE(plan->dpu.softmax);
  for (const auto& [tensor, activation] : plan->activations) {
    EXPECT_EQ(activation.scale_type, ScaleType::kPowerOfTwo) << tensor;
    EXPECT_TRUE(activation.format.symmetric) << tensor;
    EXPECT_EQ(activation.shares, "") << tensor;
  }
  for (const char* constant : {"c_w", "c_b"}) {
    const WeightPlan& weight = plan->weights.at(constant);
    EXPECT_EQ(weight.format.type, DataType::kInt8) << constant;
    EXPECT_EQ(weight.scale_type, ScaleType::kPowerOfTwo) << constant;
    EXPECT_EQ(weight.axis, -1) << constant;
  }
  ASSERT_EQ(plan->biases.size(), 1u);
  EXPECT_EQ(plan->biases[0].form, BiasForm::kAsWeight);
}

TEST(NpuCnn, BiasesOf32BitsWhereTheUserWantsThem) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c");
  b.Output("c");
  PlanOptions options = *Settled({});
  options.op_list.bias.int32 = true;
  EXPECT_EQ(MakeNpuCnnTarget()->Plan(b.model, options)->biases.at(0).form, BiasForm::kInt32Codes);
}

TEST(NpuCnn, RefusesWhatTheHardwareHasNot) {
  PlanOptions floats, asymmetric, reduced, wide;
  floats.weight_scale_type = ScaleType::kFloat32;
  asymmetric.activation_symmetric = false;
  reduced.op_list.reduce_range = true;
  for (const PlanOptions& options : {floats, asymmetric, reduced})
    EXPECT_EQ(Settled(options).status().id(), ErrorId::kConflictingOptions);
  EXPECT_EQ(Settled({}, {.scale_type = true}).status().id(), ErrorId::kConflictingOptions) << "float32 by the user";
  EXPECT_EQ(Settled({}, {.channels = true}).status().id(), ErrorId::kConflictingOptions);
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c");
  b.Output("c");
  wide = *Settled({});
  wide.weight = DataType::kUInt8;
  EXPECT_EQ(MakeNpuCnnTarget()->Plan(b.model, wide).status().id(), ErrorId::kConflictingOptions);
  wide.weight = DataType::kInt16;
  EXPECT_EQ(MakeNpuCnnTarget()->Plan(b.model, wide).status().id(), ErrorId::kNotYetSupported);
}

TEST(NpuCnn, HardSigmoidOfTheDpuAlone) {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("HardSigmoid", {"x"}, "a")->attributes["alpha"] = 1.0f / 6;
  b.Op("HardSigmoid", {"a"}, "y");
  b.Output("y");
  const Result<QuantPlan> plan = MakeNpuCnnTarget()->Plan(b.model, *Settled({}));
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  EXPECT_EQ(ReasonOf(*plan, "a_node"), FloatReason::kNone);
  EXPECT_EQ(ReasonOf(*plan, "y_node"), FloatReason::kAttributes);
}

// Boxes and scores; with --compat quark nothing is left that Quark quantizes.
TEST(NpuCnn, WhatIsBehindTheLastLayerStaysFloat) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c");
  b.Op("Sigmoid", {"c"}, "s");
  b.Conv("s", "d");
  b.Op("Sigmoid", {"d"}, "t");
  b.Op("Concat", {"t", "d"}, "y")->attributes["axis"] = int64_t{1};
  b.Output("y");
  PlanOptions options = *Settled({});
  const Result<QuantPlan> plan = MakeNpuCnnTarget()->Plan(b.model, options);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  EXPECT_EQ(ReasonOf(*plan, "s_node"), FloatReason::kNone);
  EXPECT_EQ(ReasonOf(*plan, "t_node"), FloatReason::kTail);
  EXPECT_EQ(ReasonOf(*plan, "y_node"), FloatReason::kTail);
  options.compat = Compat::kQuark;
  EXPECT_EQ(ReasonOf(*MakeNpuCnnTarget()->Plan(b.model, options), "y_node"), FloatReason::kNone);
}

TEST(NpuTransformer, ProductsOfConstantsAlone) {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("MatMul", {"x", b.Constant("w", {8, 8})}, "m");
  b.Op("MatMul", {"m", "x"}, "scores");
  b.Op("Softmax", {"scores"}, "y");
  b.Output("y");
  const auto target = MakeNpuTransformerTarget();
  const Result<QuantPlan> plan = target->Plan(b.model, {});
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  EXPECT_EQ(ReasonOf(*plan, "m_node"), FloatReason::kNone);
  EXPECT_EQ(ReasonOf(*plan, "scores_node"), FloatReason::kNotConstant);
  EXPECT_EQ(ReasonOf(*plan, "y_node"), FloatReason::kNoKernel);
  EXPECT_FALSE(plan->positions.has_value());
  PlanOptions all;
  all.op_list.selection.matmul_const_b_only = false;
  EXPECT_EQ(ReasonOf(*target->Plan(b.model, all), "scores_node"), FloatReason::kNone);
  EXPECT_TRUE(target->WantsPass("convert_split", false, {}));
}

}  // namespace
}  // namespace preon
