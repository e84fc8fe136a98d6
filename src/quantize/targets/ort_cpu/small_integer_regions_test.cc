#include "quantize/targets/ort_cpu/small_integer_regions.h"

#include <gtest/gtest.h>

#include "ir/test_graphs.h"
#include "quantize/plan/test_plans.h"
#include "quantize/targets/ort_cpu/ort_cpu_planner.h"

namespace preon {
namespace {

using test::GraphBuilder;

// A convolution from `input` of `channels` channels over side x side positions, and a Softmax that keeps its output
// float.
void AddRegion(GraphBuilder& g, const std::string& input, const std::string& name, int64_t channels, int64_t side) {
  const Shape shape = {1, channels, side, side};
  g.Op("Softmax", {input}, name + "_in", shape);
  g.Op("Conv", {name + "_in", g.Constant(name + "_w", {channels, channels, 1, 1}), g.Constant(name + "_b", {channels})},
       name, shape);
  g.Op("Softmax", {name}, name + "_out", shape);
  g.Output(name + "_out");
}

TEST(SmallIntegerRegions, StayFloatBesideLargeOnes) {
  GraphBuilder g({1, 4, 8, 8});
  g.model.graph.AddInput("z", test::FloatInfo({1, 256, 32, 32}));
  AddRegion(g, "x", "small", 4, 8);
  AddRegion(g, "z", "large", 256, 32);
  const Result<QuantPlan> plan = PlanForOrtCpu(g.model, {});
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(test::ReasonOf(*plan, "small_node"), FloatReason::kNoGain);
  EXPECT_EQ(test::ReasonOf(*plan, "large_node"), FloatReason::kNone);
  EXPECT_EQ(plan->activations.count("small"), 0u);
}

TEST(SmallIntegerRegions, AllThereIsStaysPlannedWithAWarning) {
  GraphBuilder g({1, 4, 8, 8});
  AddRegion(g, "x", "small", 4, 8);
  const Result<QuantPlan> plan = PlanForOrtCpu(g.model, {});
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(test::ReasonOf(*plan, "small_node"), FloatReason::kNone);
  ASSERT_EQ(plan->warnings.size(), 1u);
  EXPECT_NE(plan->warnings[0].find("all convolutions are small"), std::string::npos);
}

TEST(SmallIntegerRegions, ConnectedConvolutionsPayTogether) {
  GraphBuilder g({1, 64, 16, 16});
  std::string tensor = "x";
  for (int i = 0; i < 8; ++i) {
    const std::string name = "c" + std::to_string(i);
    g.Op("Conv", {tensor, g.Constant(name + "_w", {64, 64, 1, 1}), g.Constant(name + "_b", {64})}, name,
         {1, 64, 16, 16});
    tensor = name;
  }
  g.Output(tensor);
  const Result<QuantPlan> plan = PlanForOrtCpu(g.model, {});
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_TRUE(NodesOfSmallIntegerRegions(g.model.graph, *plan).empty());
}

}  // namespace
}  // namespace preon
