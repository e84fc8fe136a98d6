#include "stats/sampling.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <vector>

namespace preon {
namespace {

TEST(Sampling, RateLeavesEnoughValues) {
  EXPECT_EQ(SampleRate(1), 1u);
  EXPECT_EQ(SampleRate(kRunLength), 1u);
  EXPECT_EQ(SampleRate(kRunLength + 1), 8u);
  for (size_t size = 2 * kRunLength; size < kMaxSampleRate * kSampledValues; size += 1234) {
    EXPECT_LE(size / SampleRate(size), kSampledValues * 9 / 8) << size;
    EXPECT_GE(size / SampleRate(size), kSampledValues / 2) << size;
  }
  EXPECT_EQ(SampleRate(size_t{1} << 40), kMaxSampleRate);
}

TEST(Sampling, TakesOneBlockOfEachGroup) {
  std::vector<float> run(kRunLength), subset(kRunLength / kMinSampleRate);
  std::iota(run.begin(), run.end(), 0.0f);
  for (size_t rate = kMinSampleRate; rate <= kMaxSampleRate; rate *= 2) {
    ASSERT_EQ(GatherSampledBlocks(run.data(), kRunLength, 3, rate, subset.data()), kRunLength / rate);
    for (size_t group = 0; group < kRunLength / rate / kSampleBlock; ++group) {
      const auto first = static_cast<size_t>(subset[group * kSampleBlock]);
      EXPECT_EQ(first / (rate * kSampleBlock), group);
      for (size_t i = 0; i < kSampleBlock; ++i)
        EXPECT_EQ(subset[group * kSampleBlock + i], static_cast<float>(first + i));
    }
  }
}

TEST(Sampling, ShortRunsGiveWhatLiesInThem) {
  std::vector<float> run(kRunLength, 1.0f), subset(kRunLength / kMinSampleRate + 1, -1.0f);
  for (size_t count = 1; count < 600; ++count) {
    const size_t taken = GatherSampledBlocks(run.data(), count, 5, kMinSampleRate, subset.data());
    EXPECT_LE(taken, count);
    EXPECT_EQ(subset[taken], -1.0f);
    std::fill(subset.begin(), subset.end(), -1.0f);
  }
}

// Rows of 2048 elements are 16 groups at rate 8, of 128 elements one group: the same channels must not come up in every
// row.
TEST(Sampling, EveryChannelOfALongRowComesUp) {
  for (const size_t groups_per_row : {1, 2, 16}) {
    for (size_t place = 0; place < groups_per_row; ++place) {
      std::set<size_t> blocks;
      for (size_t row = 0; row < 200; ++row) blocks.insert(SampledBlock(row * groups_per_row + place, kMinSampleRate));
      EXPECT_EQ(blocks.size(), kMinSampleRate) << groups_per_row << " groups per row, place " << place;
    }
  }
}

}  // namespace
}  // namespace preon
