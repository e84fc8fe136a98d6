#include "search/sensitivity_fallback.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace preon {
namespace {

TEST(RoundingNoiseShare, RelatesTheNoiseToEachChannel) {
  const double noise = 1.0 / 12;
  EXPECT_DOUBLE_EQ(RoundingNoiseShare(std::vector{80.0}, 1), noise / 100);
  EXPECT_DOUBLE_EQ(RoundingNoiseShare(std::vector{80.0, 0.1}, 1), (noise / 100 + 1) / 2);
  EXPECT_DOUBLE_EQ(RoundingNoiseShare(std::vector{160.0}, 2), noise / 100) << "scaling changes nothing";
}

TEST(RoundingNoiseShare, ConstantAndEmptyChannelsDoNotCount) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(RoundingNoiseShare(std::vector{0.0, -inf}, 1), 0);
  EXPECT_EQ(RoundingNoiseShare(std::vector{0.0, 80.0, -inf}, 1), RoundingNoiseShare(std::vector{80.0}, 1));
  EXPECT_EQ(RoundingNoiseShare({}, 1), 0);
}

}  // namespace
}  // namespace preon
