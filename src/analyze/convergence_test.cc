#include "analyze/convergence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "analyze/test_extents.h"

namespace preon {
namespace {

/// The mean over all subsets of n samples, one by one.
double BruteShare(const SampleExtents& extents, size_t n) {
  double sum = 0;
  size_t subsets = 0;
  for (uint32_t subset = 0; subset < 1u << extents.samples.size(); ++subset) {
    if (static_cast<size_t>(std::popcount(subset)) != n) continue;
    Extent reached;
    for (size_t sample = 0; sample < extents.samples.size(); ++sample) {
      if ((subset >> sample & 1) != 0) reached.Widen(extents.samples[sample].min, extents.samples[sample].max);
    }
    sum += reached.length();
    ++subsets;
  }
  return sum / static_cast<double>(subsets) / extents.all.length();
}

TEST(RangeGrowth, IsTheMeanOverAllSubsets) {
  for (const SampleExtents& extents : test::RandomExtents(6, 11, 2)) {
    const RangeGrowth growth(extents);
    for (size_t n = 1; n <= 11; ++n) EXPECT_NEAR(growth.ShareOf(n), BruteShare(extents, n), 1e-12) << n;
  }
}

TEST(RangeGrowth, TheOrderOfTheSamplesDoesNotMatter) {
  for (const SampleExtents& extents : test::RandomExtents(3, 100, 3)) {
    SampleExtents reversed = extents;
    std::ranges::reverse(reversed.samples);
    for (const size_t n : {1, 7, 50, 99}) EXPECT_EQ(RangeGrowth(extents).ShareOf(n), RangeGrowth(reversed).ShareOf(n));
  }
}

TEST(RangeGrowth, OneOutlierIsFoundInProportion) {
  std::vector<std::pair<float, float>> ends(50, {0, 1});
  ends[31] = {0, 10};
  const RangeGrowth growth(test::ExtentsFrom(ends));
  EXPECT_NEAR(growth.ShareOf(25), (10 + 1) / 2.0 / 10, 1e-12);
  EXPECT_EQ(growth.ShareOf(50), 1);
  EXPECT_EQ(growth.Needed(0), 50u);
  EXPECT_EQ(growth.Needed(0.45), 25u);
  EXPECT_EQ(growth.Needed(0.9), 1u);
}

TEST(RangeGrowth, RoundingIsNoGrowth) {
  const RangeGrowth same(
      test::ExtentsFrom({{-0.1f, 0.3f}, {-0.1f, 0.3f}, {-0.1f, 0.3f}, {-0.1f, 0.3f}, {-0.1f, 0.3f}}));
  for (size_t n = 1; n <= 5; ++n) EXPECT_EQ(same.ShareOf(n), 1) << n;
  EXPECT_EQ(same.Needed(0), 1u);
}

TEST(RangeGrowth, ZerosHaveConverged) { EXPECT_EQ(RangeGrowth(test::ExtentsFrom({{0, 0}, {0, 0}})).ShareOf(1), 1); }

TEST(RangeGrowth, ThousandsOfSamplesAreNoTroubleToTheWeights) {
  std::vector<std::pair<float, float>> ends;
  for (int sample = 0; sample < 5000; ++sample) ends.emplace_back(0, static_cast<float>(sample));
  const RangeGrowth growth(test::ExtentsFrom(ends));
  // Of 0 … N-1 the expected largest of n is n (N + 1) / (n + 1) - 1.
  for (const double n : {1, 2, 100, 2500, 4999})
    EXPECT_NEAR(growth.ShareOf(static_cast<size_t>(n)), (n * 5001 / (n + 1) - 1) / 4999, 1e-9) << n;
}

TEST(Convergence, PowersOfTwoThenAll) {
  EXPECT_EQ(ConvergenceSizes(1), std::vector<size_t>({1}));
  EXPECT_EQ(ConvergenceSizes(8), std::vector<size_t>({1, 2, 4, 8}));
  EXPECT_EQ(ConvergenceSizes(9), std::vector<size_t>({1, 2, 4, 8, 9}));
}

TEST(Convergence, SaysWhetherMoreSamplesWouldHelp) {
  const RangeGrowth same(test::ExtentsFrom({{-1, 1}, {-1, 1}, {-1, 1}, {-1, 1}}));
  const RangeGrowth grows(test::ExtentsFrom({{0, 1}, {0, 2}, {0, 3}, {0, 9}}));
  const RangeGrowth still[] = {same, same, grows};
  const Convergence settled = ConvergenceOf(still, 4, 0.01);
  EXPECT_FALSE(settled.more_samples_help);
  EXPECT_EQ(settled.growing, 1u);
  EXPECT_EQ(settled.last_growth, 0);
  EXPECT_EQ(settled.needed, 1u);
  EXPECT_EQ(settled.shares.back().least, 1);
  EXPECT_LT(settled.shares.front().least, 0.5);
  const RangeGrowth growing[] = {same, grows, grows};
  EXPECT_TRUE(ConvergenceOf(growing, 4, 0.01).more_samples_help);
  EXPECT_FALSE(ConvergenceOf(growing, 4, 0.9).more_samples_help);
  const RangeGrowth one[] = {RangeGrowth(test::ExtentsFrom({{-1, 1}}))};
  EXPECT_TRUE(ConvergenceOf(one, 1, 0.01).more_samples_help);
}

}  // namespace
}  // namespace preon
