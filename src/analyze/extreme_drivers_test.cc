#include "analyze/extreme_drivers.h"

#include <gtest/gtest.h>

#include "analyze/test_extents.h"

namespace preon {
namespace {

TEST(DriversOf, NamesTheFirstThatReachesAnEnd) {
  const Drivers drivers = DriversOf(test::ExtentsFrom({{-1, 2}, {-3, 6}, {-2, 6}, {0, 1}}));
  ASSERT_TRUE(drivers.min && drivers.max);
  EXPECT_EQ(drivers.min->sample, 1u);
  EXPECT_EQ(drivers.min->reached_by, 1u);
  EXPECT_EQ(drivers.min->without, -2);
  EXPECT_EQ(drivers.max->sample, 1u);
  EXPECT_EQ(drivers.max->reached_by, 2u);
  EXPECT_EQ(drivers.max->without, 6);
}

TEST(DriversOf, AnEndAtZeroNeedsNoSample) {
  const Drivers positive = DriversOf(test::ExtentsFrom({{0, 1}, {0.5f, 3}}));
  EXPECT_FALSE(positive.min);
  EXPECT_EQ(positive.max->sample, 1u);
  const Drivers zero = DriversOf(test::ExtentsFrom({{0, 0}, {0, 0}}));
  EXPECT_FALSE(zero.min || zero.max);
}

TEST(DriversOf, ASampleWithoutValuesDrivesNothing) {
  std::vector<SampleRow> rows(2);
  rows[0].tensors = {SampleFacts()};
  rows[1].tensors = {{.min = -1, .max = 1}};
  const Drivers drivers = DriversOf(ExtentsOf(rows, 0));
  EXPECT_EQ(drivers.max->sample, 1u);
  EXPECT_EQ(drivers.max->without, 0);
}

TEST(RankSamples, SharesEndsAndTellsWhatAShorterRangeCosts) {
  const std::vector<SampleExtents> tensors = {
      test::ExtentsFrom({{-1, 1}, {-1, 8}, {0, 7.99f}}),  // min shared by two, max by one that hardly matters
      test::ExtentsFrom({{0, 1}, {0, 10}, {0, 5}}),       // without sample 1 half is left
  };
  const std::vector<SampleShare> shares = RankSamples(tensors, 0.01);
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].sample, 1u);
  EXPECT_EQ(shares[0].extremes, 2.5);
  EXPECT_EQ(shares[0].shrinks, 1u);
  EXPECT_EQ(shares[1].sample, 0u);
  EXPECT_EQ(shares[1].extremes, 0.5);
  EXPECT_EQ(shares[1].shrinks, 0u);
}

TEST(RankSamples, TheSharesOfAllSamplesAreTheEnds) {
  const std::vector<SampleExtents> tensors = test::RandomExtents(30, 17, 1);
  double ends = 0, shares = 0;
  for (const SampleExtents& tensor : tensors) {
    const Drivers drivers = DriversOf(tensor);
    ends += drivers.min.has_value() + drivers.max.has_value();
  }
  for (const SampleShare& share : RankSamples(tensors, 0.01)) shares += share.extremes;
  EXPECT_EQ(ends, 50);
  EXPECT_NEAR(shares, ends, 1e-9);
}

}  // namespace
}  // namespace preon
