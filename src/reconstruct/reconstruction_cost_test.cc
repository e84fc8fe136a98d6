#include "reconstruct/reconstruction_cost.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

constexpr double kSecond = 1e9;

int64_t Runs(const ReconstructionCost& costs, int64_t samples_per_run, int64_t available) {
  return RunsWithin(costs, {.share_of_runs = 6}, samples_per_run, available);
}

TEST(ReconstructionCost, TheAllowedShareOfTheRunsWhereTheyTakeNoTime) {
  EXPECT_EQ(Runs({.calibration = kSecond, .per_sample = 1e5}, 1, 120), 20);
  EXPECT_EQ(RunsWithin({.calibration = kSecond, .per_sample = 1e5}, {.share_of_runs = 2}, 1, 120), 60);
}

TEST(ReconstructionCost, NeverMoreThanTellAnythingMore) {
  EXPECT_EQ(Runs({.calibration = 100 * kSecond, .per_sample = 1e5}, 1, 10'000), 64);
}

TEST(ReconstructionCost, FewRunsAreAllUsed) { EXPECT_EQ(Runs({.calibration = kSecond, .per_sample = 1e5}, 1, 9), 9); }

TEST(ReconstructionCost, AsManyAsTheCalibrationsTimeAllows) {
  const ReconstructionCost costs{.calibration = 10 * kSecond, .layers = 2 * kSecond, .per_sample = kSecond / 4};
  EXPECT_EQ(Runs(costs, 1, 400), 32);
  EXPECT_EQ(Runs(costs, 2, 400), 16) << "of two samples each";
  EXPECT_EQ(RunsWithin(costs, {.calibrations = 2, .share_of_runs = 6}, 1, 400), 64) << "twice the calibration's time";
}

TEST(ReconstructionCost, NoneWhereTheLayersAloneTakeLonger) {
  EXPECT_EQ(Runs({.calibration = 3 * kSecond, .layers = 4 * kSecond, .per_sample = 1e5}, 1, 100), 0);
}

TEST(ReconstructionCost, ATimeThatNobodyWaitsForIsAlwaysAllowed) {
  const ReconstructionCost costs{.calibration = kSecond / 10, .layers = kSecond, .per_sample = 1e5};
  EXPECT_EQ(Runs(costs, 1, 100), 0);
  EXPECT_EQ(RunsWithin(costs, {.free_ns = 2 * kSecond, .share_of_runs = 6}, 1, 100), 16);
}

TEST(ReconstructionCost, NoneWhereFewerThanTellAnythingWouldDo) {
  EXPECT_EQ(Runs({.calibration = 3 * kSecond, .per_sample = kSecond / 2}, 1, 100), 0);
}

ReconstructionCost WithLastLayer(size_t inputs) {
  return {.calibration = kSecond, .per_sample = 1e5, .last_layers = {"classifier"}, .last_inputs = inputs};
}

TEST(ReconstructionCost, LastLayersGetAllRunsThatTheirRowsAreWorth) {
  EXPECT_EQ(RunsOfLastLayers(WithLastLayer(64), {}, 1, 500, 50), 500);
  EXPECT_EQ(RunsOfLastLayers(WithLastLayer(64), {}, 1, 10'000, 50), 16 * 64);
  EXPECT_EQ(RunsOfLastLayers(WithLastLayer(64), {}, 2, 10'000, 50), 16 * 64 / 2) << "of two samples each";
}

TEST(ReconstructionCost, LastLayersWithFewRowsPerInputStay) {
  EXPECT_EQ(RunsOfLastLayers(WithLastLayer(64), {}, 1, 255, 50), 0);
  EXPECT_EQ(RunsOfLastLayers(WithLastLayer(1280), {}, 1, 500, 50), 0);
}

TEST(ReconstructionCost, LastLayersStayWhereAllHadNearlyAsManyRuns) {
  EXPECT_EQ(RunsOfLastLayers(WithLastLayer(10), {}, 1, 60, 50), 0);
}

TEST(ReconstructionCost, LastLayersStayWithinTheLimitOfTime) {
  ReconstructionCost costs = WithLastLayer(64);
  costs.per_sample = 4.5e6;  // 3 ms without what targets of all layers cost; 50 runs have taken 225 ms
  EXPECT_EQ(RunsOfLastLayers(costs, {}, 1, 500, 50), 258);
  costs.per_sample = 45e6;
  EXPECT_EQ(RunsOfLastLayers(costs, {}, 1, 500, 50), 0);
  EXPECT_EQ(RunsOfLastLayers(costs, {.free_ns = 10 * kSecond}, 1, 500, 50), 258);
}

TEST(ReconstructionCost, NoLastLayersNoRuns) {
  EXPECT_EQ(RunsOfLastLayers({.calibration = kSecond}, {}, 1, 500, 1), 0);
}

}  // namespace
}  // namespace preon
