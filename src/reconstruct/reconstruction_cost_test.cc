#include "reconstruct/reconstruction_cost.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

constexpr double kSecond = 1e9;

int64_t Runs(const ReconstructionCost& costs, int64_t samples_per_run, int64_t available) {
  return SizeWithin(costs, 1, samples_per_run, available).runs;
}

TEST(ReconstructionCost, ASixthOfTheRunsWhereTheyTakeNoTime) {
  EXPECT_EQ(Runs({.calibration = kSecond, .per_sample = 1e5}, 1, 120), 20);
}

TEST(ReconstructionCost, NeverMoreThanTellAnythingMore) {
  EXPECT_EQ(Runs({.calibration = 100 * kSecond, .per_sample = 1e5}, 1, 10'000), 64);
}

TEST(ReconstructionCost, FewRunsAreAllUsed) { EXPECT_EQ(Runs({.calibration = kSecond, .per_sample = 1e5}, 1, 9), 9); }

TEST(ReconstructionCost, AsManyAsTheCalibrationsTimeAllows) {
  const ReconstructionCost costs{.calibration = 10 * kSecond, .layers = 2 * kSecond, .per_sample = kSecond / 4};
  EXPECT_EQ(Runs(costs, 1, 400), 32);
  EXPECT_EQ(Runs(costs, 2, 400), 16) << "of two samples each";
  EXPECT_EQ(SizeWithin(costs, 2, 1, 400).runs, 64) << "twice the calibration's time";
}

TEST(ReconstructionCost, NoneWhereTheLayersAloneTakeLonger) {
  EXPECT_EQ(Runs({.calibration = 3 * kSecond, .layers = 4 * kSecond, .per_sample = 1e5}, 1, 100), 0);
}

TEST(ReconstructionCost, NoneWhereFewerThanTellAnythingWouldDo) {
  EXPECT_EQ(Runs({.calibration = 3 * kSecond, .per_sample = kSecond / 2}, 1, 100), 0);
}

TEST(ReconstructionCost, WhatIsLeftOfTheTimeIsForHalvings) {
  ReconstructionCost costs{
      .calibration = 10 * kSecond, .layers = kSecond, .per_sample = kSecond / 10, .judgement = kSecond / 12};
  EXPECT_EQ(SizeWithin(costs, 1, 1, 90).halvings, 2U) << "three times 1 + 15 / 10 + 6 / 12 s";
  costs.calibration = 100 * kSecond;
  EXPECT_EQ(SizeWithin(costs, 1, 1, 90).halvings, 4U);
  costs.calibration = 4 * kSecond;
  EXPECT_EQ(SizeWithin(costs, 1, 1, 90).halvings, 0U);
}

}  // namespace
}  // namespace preon
