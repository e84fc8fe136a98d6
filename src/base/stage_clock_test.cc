#include "base/stage_clock.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

TEST(StageClock, AddsUpStagesOfTheSameName) {
  StageClock clock;
  for (const char* stage : {"load", "run", "load"}) clock.Begin(stage);
  clock.End();
  ASSERT_EQ(clock.seconds().size(), 2u);
  EXPECT_EQ(clock.seconds()[0].first, "load");
  EXPECT_EQ(clock.seconds()[1].first, "run");
  double sum = 0;
  for (const auto& [stage, seconds] : clock.seconds()) sum += seconds;
  EXPECT_LE(sum, clock.TotalSeconds());
}

}  // namespace
}  // namespace preon
