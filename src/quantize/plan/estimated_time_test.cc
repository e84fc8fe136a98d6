#include "quantize/plan/estimated_time.h"

#include <gtest/gtest.h>

#include "ir/test_graphs.h"
#include "quantize/targets/ort_cpu/ort_cpu_planner.h"

namespace preon {
namespace {

using test::GraphBuilder;

double NsWithout(const Model& model, std::map<std::string, FloatReason> left_float) {
  PlanOptions options;
  options.left_float = std::move(left_float);
  const Result<QuantPlan> plan = PlanForOrtCpu(model, options);
  EXPECT_TRUE(plan.ok());
  return EstimatedNs(model.graph, *plan);
}

// A chain of convolutions of 64 channels over 32 x 32 positions.
GraphBuilder Dense() {
  GraphBuilder g({1, 64, 32, 32});
  std::string tensor = "x";
  for (const char* name : {"a", "b", "c", "d"}) {
    g.Op("Conv", {tensor, g.Constant(StrCat(name, "_w"), {64, 64, 3, 3})}, name, {1, 64, 32, 32});
    tensor = name;
  }
  g.Output("d");
  return g;
}

TEST(EstimatedTime, DenseConvolutionsInFloatTakeThreeTimesAsLong) {
  const GraphBuilder g = Dense();
  const double all = NsWithout(g.model, {}), one = 64.0 * 32 * 32 * 64 * 9;
  const double without = NsWithout(g.model, {{"a_node", FloatReason::kAccuracy}});
  EXPECT_GT(without - all, 0.008 * one);
  EXPECT_LT(without - all, 0.02 * one);
}

TEST(EstimatedTime, DepthwiseConvolutionsAreFasterInFloat) {
  GraphBuilder g({1, 64, 32, 32});
  g.Op("Conv", {"x", g.Constant("w", {64, 1, 3, 3})}, "a", {1, 64, 32, 32})->attributes["group"] = int64_t{64};
  g.Op("Conv", {"a", g.Constant("v", {64, 64, 3, 3})}, "b", {1, 64, 32, 32});
  g.Output("b");
  EXPECT_LT(NsWithout(g.model, {{"a_node", FloatReason::kAccuracy}}), NsWithout(g.model, {}));
}

TEST(EstimatedTime, EachChangeBetweenFloatAndIntegerCosts) {
  const GraphBuilder g = Dense();
  const double at_the_end = NsWithout(g.model, {{"d_node", FloatReason::kAccuracy}});
  const double in_between = NsWithout(g.model, {{"c_node", FloatReason::kAccuracy}});
  EXPECT_GT(in_between, at_the_end);
}

}  // namespace
}  // namespace preon
