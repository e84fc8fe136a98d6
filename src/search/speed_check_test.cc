#include "search/speed_check.h"

#include <gtest/gtest.h>

#include "ir/test_graphs.h"

namespace preon {
namespace {

TEST(SpeedCheck, WhatCostsFarMoreThanEstimatedIsRefused) {
  EXPECT_TRUE(IsAsFastAsEstimated({.in_float = 10, .before = 4, .after = 4.2}, 0.03));
  EXPECT_FALSE(IsAsFastAsEstimated({.in_float = 10, .before = 4, .after = 5}, 0.03));
  EXPECT_TRUE(IsAsFastAsEstimated({.in_float = 10, .before = 4, .after = 5}, 0.2));
}

TEST(SpeedCheck, WhatEndsUpSlowerThanFloatIsRefusedUnlessItWasSlowerBefore) {
  EXPECT_FALSE(IsAsFastAsEstimated({.in_float = 10, .before = 9, .after = 10.5}, 0.2));
  EXPECT_TRUE(IsAsFastAsEstimated({.in_float = 10, .before = 12, .after = 11}, 0.2));
  EXPECT_FALSE(IsAsFastAsEstimated({.in_float = 10, .before = 11, .after = 12}, 0.2));
}

TEST(SpeedCheck, MicrosecondsAreNoReason) {
  EXPECT_TRUE(IsAsFastAsEstimated({.in_float = 0.028, .before = 0.024, .after = 0.04}, 0));
  EXPECT_FALSE(IsAsFastAsEstimated({.in_float = 0.028, .before = 0.024, .after = 0.05}, 0));
}

TEST(SpeedCheck, MoreWorkTakesMoreTime) {
  test::GraphBuilder little({1, 4, 32, 32}), much({1, 4, 32, 32});
  little.Output(little.Conv("x", "y"));
  std::string tensor = "x";
  for (int i = 0; i < 20; ++i) tensor = much.Conv(tensor, "y" + std::to_string(i));
  much.Output(tensor);
  const Model* const models[] = {&little.model, &much.model};
  const std::vector<NamedTensor> feeds = {
      {"x", Tensor::FromFloats({1, 4, 32, 32}, std::vector<float>(4 * 32 * 32, 1))}};
  const Result<std::vector<double>> ms = FastestRunsMs(models, feeds, {});
  ASSERT_TRUE(ms.ok()) << ms.status().ToString();
  EXPECT_GT((*ms)[0], 0);
  EXPECT_GT((*ms)[1], (*ms)[0]);
}

}  // namespace
}  // namespace preon
