#include "quantize/targets/op_list/block_axes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/test_graphs.h"
#include "quantize/targets/targets.h"

namespace preon {
namespace {

using test::GraphBuilder;

QuantPlan PlanOf(const Model& model, bool refine = true) {
  PlanOptions options;
  options.activation = options.weight = *ParseTensorType("bfp16");
  options.blocks.refine_axis = refine;
  return *MakeQuarkTarget()->Plan(model, options);
}

TEST(RefineBlockAxes, BlocksRunAlongWhatIsReduced) {
  GraphBuilder b({2, 3, 8});
  b.Constant("w", {8, 4});
  b.Op("MatMul", {"x", "w"}, "y");
  b.Op("Softmax", {"y"}, "s");
  b.Op("Sigmoid", {"s"}, "out");
  b.Output("out");
  const QuantPlan plan = PlanOf(b.model);
  EXPECT_EQ(plan.activations.at("x").block->axis, -1);
  EXPECT_EQ(plan.weights.at("w").block->axis, 0);  // rank - 2, counted from the front
  EXPECT_EQ(plan.activations.at("y").block->axis, -1);
  EXPECT_EQ(plan.activations.at("s").block->axis, 1);  // no reader reduces it
  EXPECT_EQ(PlanOf(b.model, /*refine=*/false).activations.at("x").block->axis, 1);
}

// Channels meet in no product of a depthwise convolution; Quark has them in blocks all the same.
TEST(RefineBlockAxes, RowsInFrontOfDepthwiseConvolutions) {
  for (const bool also_pointwise : {false, true}) {
    GraphBuilder b({1, 4, 8, 8});
    b.Constant("w", {4, 1, 3, 3});
    Node* conv = b.Op("Conv", {"x", "w"}, "y", {1, 4, 6, 6});
    conv->attributes["group"] = int64_t{4};
    b.Output("y");
    if (also_pointwise) {
      b.Op("Conv", {"x", b.Constant("p", {4, 4, 1, 1})}, "z", {1, 4, 8, 8});
      b.Output("z");
    }
    PlanOptions options;
    options.activation = options.weight = *ParseTensorType("bfp16");
    options.blocks.refine_axis = true;
    const auto axis = [&](const Target& target) {
      return target.Plan(b.model, options)->activations.at("x").block->axis;
    };
    EXPECT_EQ(axis(*MakeSimulateTarget()), also_pointwise ? 1 : -1);
    EXPECT_EQ(axis(*MakeQuarkTarget()), 1);
    options.compat = Compat::kQuark;
    EXPECT_EQ(axis(*MakeSimulateTarget()), 1);
  }
}

TEST(RefineBlockAxes, TheLaterOfTwoReadersWinsAloud) {
  GraphBuilder b({2, 8, 8});
  b.Constant("w", {8, 8});
  b.Op("MatMul", {"x", "w"}, "y");
  b.Op("MatMul", {"w2", "x"}, "z");
  b.Constant("w2", {8, 8});
  b.Output("y");
  b.Output("z");
  const QuantPlan plan = PlanOf(b.model);
  EXPECT_EQ(plan.activations.at("x").block->axis, -2);
  EXPECT_EQ(plan.weights.at("w2").block->axis, 1);
  EXPECT_THAT(plan.warnings, ::testing::Contains(::testing::HasSubstr(
                                 "readers of 'x' need blocks along different axes, -1 and -2: axis -2 is used")));
}

}  // namespace
}  // namespace preon
