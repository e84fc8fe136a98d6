#include "quantize/plan/float_fallback.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

/// Nodes "0" to "3"; the plan's target names those in integers, and the first of them is what advice is about.
struct FourNodes {
  FloatFallback fallback{.advice = [](const QuantPlan& plan) -> Result<FloatNodes> {
                           if (plan.target.empty()) return FloatNodes();
                           return FloatNodes{{plan.target.substr(0, 1), FloatReason::kNotFused}};
                         },
                         .plan = [](const FloatNodes& left_float) -> Result<QuantPlan> {
                           QuantPlan plan;
                           for (const char* node : {"0", "1", "2", "3"})
                             plan.target += left_float.contains(node) ? "" : node;
                           return plan;
                         }};
  QuantPlan plan{.target = "0123"};
  FloatNodes left_float;
};

TEST(FallBack, GoesOnUntilThereIsNoAdvice) {
  FourNodes nodes;
  EXPECT_EQ(*FallBack(nodes.fallback, nodes.plan, nodes.left_float), FallbackEnd::kSettled);
  EXPECT_EQ(nodes.plan.target, "");
  EXPECT_EQ(nodes.left_float.size(), 4u);
}

TEST(FallBack, KeepsTheLastPlanThatFits) {
  FourNodes nodes;
  nodes.fallback.fits = [](const QuantPlan& plan) { return plan.target.size() >= 2; };
  EXPECT_EQ(*FallBack(nodes.fallback, nodes.plan, nodes.left_float), FallbackEnd::kRefused);
  EXPECT_EQ(nodes.plan.target, "23");
  EXPECT_EQ(nodes.left_float.size(), 2u);
}

TEST(FallBack, StopsAtTheLimitOfPlans) {
  FourNodes nodes;
  nodes.fallback.max_plans = 2;
  EXPECT_EQ(*FallBack(nodes.fallback, nodes.plan, nodes.left_float), FallbackEnd::kLimit);
  EXPECT_EQ(nodes.plan.target, "123");
}

TEST(FallBack, AdviceAboutWhatIsFloatAlreadyIsNone) {
  FourNodes nodes;
  nodes.left_float = {{"0", FloatReason::kNotReached}};
  EXPECT_EQ(*FallBack(nodes.fallback, nodes.plan, nodes.left_float), FallbackEnd::kSettled);
  EXPECT_EQ(nodes.left_float.at("0"), FloatReason::kNotReached);
}

}  // namespace
}  // namespace preon
