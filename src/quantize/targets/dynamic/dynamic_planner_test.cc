#include "quantize/targets/dynamic/dynamic_planner.h"

#include <gtest/gtest.h>

#include <limits>

#include "ir/test_graphs.h"
#include "quantize/plan/test_plans.h"

namespace preon {
namespace {

using test::FloatInfo;
using test::GraphBuilder;

// A large product, a small one, one of two computed tensors, one with infinity, a convolution.
GraphBuilder Mixed() {
  GraphBuilder builder({1, 64, 64});
  builder.Op("MatMul", {"x", builder.Constant("w", {64, 64})}, "large", {1, 64, 64});
  builder.Op("MatMul", {"large", builder.Constant("v", {64, 2})}, "small", {1, 64, 2});
  builder.Op("MatMul", {"x", "large"}, "both", {1, 64, 64});
  const float infinity = std::numeric_limits<float>::infinity();
  builder.model.graph.SetInitializer("inf", Tensor::FromFloats({64, 64}, std::vector<float>(64 * 64, infinity)));
  builder.Op("MatMul", {"x", "inf"}, "endless", {1, 64, 64});
  builder.Op("Conv", {"x", builder.Constant("k", {8, 64, 3})}, "conv", {1, 8, 62});
  return builder;
}

TEST(DynamicPlanner, NamesAReasonForEachFloatNode) {
  const QuantPlan plan = *PlanDynamic(Mixed().model, {});
  EXPECT_EQ(plan.dynamic.nodes, std::vector<std::string>{"large_node"});
  EXPECT_EQ(test::ReasonOf(plan, "small_node"), FloatReason::kNoGain);
  EXPECT_EQ(test::ReasonOf(plan, "both_node"), FloatReason::kNotConstant);
  EXPECT_EQ(test::ReasonOf(plan, "endless_node"), FloatReason::kType);
  EXPECT_EQ(test::ReasonOf(plan, "conv_node"), FloatReason::kNoGain);
  EXPECT_FALSE(plan.empty());
  EXPECT_TRUE(plan.ObservedTensors().empty());
}

TEST(DynamicPlanner, TakesConvolutionsOnRequest) {
  PlanOptions options;
  options.op_list.selection.extra_op_types = {"Conv"};
  const QuantPlan plan = *PlanDynamic(Mixed().model, options);
  EXPECT_EQ(test::ReasonOf(plan, "conv_node"), FloatReason::kNone);
  EXPECT_EQ(plan.dynamic.weights.at("k").axis, 0);
  options.weight = DataType::kUInt8;  // a zero point per channel is more than the operator takes
  EXPECT_EQ(PlanDynamic(Mixed().model, options)->dynamic.weights.at("k").axis, -1);
  options.op_list.selection = {.op_types = {"Conv"}};
  EXPECT_EQ(test::ReasonOf(*PlanDynamic(Mixed().model, options), "large_node"), FloatReason::kExcluded);
}

TEST(DynamicPlanner, TakesWhatIsSmallWhereNothingElseIs) {
  GraphBuilder builder({1, 8});
  builder.Op("MatMul", {"x", builder.Constant("w", {8, 8})}, "y", {1, 8});
  const QuantPlan plan = *PlanDynamic(builder.model, {});
  EXPECT_EQ(plan.dynamic.nodes, std::vector<std::string>{"y_node"});
  EXPECT_EQ(plan.warnings.size(), 1u);
}

TEST(DynamicPlanner, LeavesOutWhatWasExcludedOrProvedFloat) {
  PlanOptions options{.exclude = {.names = {"lar*"}}};
  EXPECT_EQ(test::ReasonOf(*PlanDynamic(Mixed().model, options), "large_node"), FloatReason::kExcluded);
  options = {.left_float = {{"large_node", FloatReason::kNotFused}}};
  EXPECT_EQ(test::ReasonOf(*PlanDynamic(Mixed().model, options), "large_node"), FloatReason::kNotFused);
  options = {};
  options.op_list.selection.nodes = {"small_node"};
  EXPECT_EQ(PlanDynamic(Mixed().model, options)->dynamic.nodes, std::vector<std::string>{"small_node"});
}

}  // namespace
}  // namespace preon
