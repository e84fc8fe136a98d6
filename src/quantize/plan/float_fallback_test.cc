#include "quantize/plan/float_fallback.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

/// Nodes "0" to "3"; the plan's target names those in integers, and the first of them is what advice is about.
struct FourNodes {
  FloatFallback fallback{.advice = [](const QuantPlan& now) -> Result<FloatNodes> {
                           if (now.target.empty()) return FloatNodes();
                           return FloatNodes{{now.target.substr(0, 1), FloatReason::kNotFused}};
                         },
                         .plan = [](const FloatNodes& left) -> Result<QuantPlan> {
                           QuantPlan next;
                           for (const char* node : {"0", "1", "2", "3"}) next.target += left.contains(node) ? "" : node;
                           return next;
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
