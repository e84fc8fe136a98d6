#include "ranges/refine/masked_scores.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

TEST(RangeWithoutMasked, DownToWhatASoftmaxCanTellFromZero) {
  const Range scores{-23, 27}, mask{-10000, 0}, sum{-10023, 13};
  EXPECT_EQ(RangeWithoutMasked(sum, scores, mask, 16), (Range{-39, 13}));
  EXPECT_EQ(RangeWithoutMasked(sum, mask, scores, 8), (Range{-31, 13}));
  EXPECT_EQ(RangeWithoutMasked({-3.4e38F, 13}, {-3.4e38F, 0}, scores, 16), (Range{-39, 13}));
}

TEST(RangeWithoutMasked, ABiasOfPositionsIsNoMask) {
  EXPECT_EQ(RangeWithoutMasked({-30, 22}, {-20, 20}, {-15, 5}, 8), std::nullopt);
  EXPECT_EQ(RangeWithoutMasked({-420, 420}, {-20, 20}, {-400, 400}, 8), std::nullopt);
}

TEST(RangeOfMask, TakesAnyScoreToTheFloor) {
  const Range scores{-23, 27}, mask{-10000, 0};
  EXPECT_EQ(RangeOfMask(mask, scores, 8), (Range{-58, 0}));
  EXPECT_EQ(RangeOfMask(scores, mask, 8), std::nullopt);
  EXPECT_EQ(RangeOfMask({-15, 5}, {-20, 20}, 8), std::nullopt);
}

TEST(RangeWithoutMasked, NothingBelowWhatWasSeen) {
  EXPECT_EQ(RangeWithoutMasked({-10, 13}, {-10, 13}, {-10000, 0}, 8), (Range{-10, 13}));  // no sample had masked places
}

}  // namespace
}  // namespace preon
