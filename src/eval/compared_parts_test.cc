#include "eval/compared_parts.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

// `count` samples of signal 1; every fifth has `rare` times the noise of the others.
ComparedParts Parts(int count, double noise, double rare) {
  ComparedParts parts;
  for (int sample = 0; sample < count; ++sample) {
    ComparedPart& part = parts.Next();
    part.signal = 1;
    part.noise = noise * (1 + 0.1 * (sample % 3)) * (sample % 5 == 4 ? rare : 1);
  }
  return parts;
}

TEST(ComparedParts, RareErrorsOfSeenSamplesWidenTheInterval) {
  const ComparedParts unseen = Parts(20, 0.01, 1), seen = Parts(40, 0.01, 100);
  const auto alone = unseen.OfSqnr(), wide = unseen.OfSqnr(&seen);
  ASSERT_TRUE(alone && wide);
  EXPECT_LT(wide->low, alone->low - 5);
  EXPECT_GE(wide->high, alone->high);
}

TEST(ComparedParts, SmallErrorsOfSeenSamplesPromiseNothing) {
  const ComparedParts unseen = Parts(20, 0.01, 1), seen = Parts(40, 0.0001, 1);
  const auto alone = unseen.OfSqnr(), with_seen = unseen.OfSqnr(&seen);
  ASSERT_TRUE(alone && with_seen);
  EXPECT_NEAR(with_seen->low, alone->low, 0.5);
  EXPECT_NEAR(with_seen->high, alone->high, 0.5);
}

TEST(ComparedParts, OneSampleHasNoInterval) { EXPECT_FALSE(Parts(1, 0.01, 1).OfSqnr()); }

}  // namespace
}  // namespace preon
