#include "api/drowned.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace preon {
namespace {

TEST(DrownedShare, RelatesTheNoiseToEachChannel) {
  const double noise = 1.0 / 12;
  EXPECT_DOUBLE_EQ(DrownedShare(std::vector{80.0}, 1), noise / 100);
  EXPECT_DOUBLE_EQ(DrownedShare(std::vector{80.0, 0.1}, 1), (noise / 100 + 1) / 2);
  EXPECT_DOUBLE_EQ(DrownedShare(std::vector{160.0}, 2), noise / 100) << "scaling changes nothing";
}

TEST(DrownedShare, ConstantAndEmptyChannelsDoNotCount) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(DrownedShare(std::vector{0.0, -inf}, 1), 0);
  EXPECT_EQ(DrownedShare(std::vector{0.0, 80.0, -inf}, 1), DrownedShare(std::vector{80.0}, 1));
  EXPECT_EQ(DrownedShare({}, 1), 0);
}

}  // namespace
}  // namespace preon
