#include "eval/latency.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "base/system.h"
#include "ir/graph.h"

namespace preon {
namespace {

TEST(Latency, PercentilesAreNearestRankAndThroughputIsPerSample) {
  LatencyRecorder recorder;
  for (int i = 1; i <= 100; ++i) recorder.Add(i, 2);
  const Latency latency = recorder.Summarize();
  EXPECT_EQ(latency.p50, 50);
  EXPECT_EQ(latency.p90, 90);
  EXPECT_EQ(latency.p99, 99);
  EXPECT_DOUBLE_EQ(latency.throughput, 200 / 5.05);
  EXPECT_EQ(LatencyRecorder().Summarize().throughput, 0);
}

// The ranks of the tables: 10 values from the 2nd smallest, 20 from the 6th, below 6 values the whole span.
TEST(Speedup, IntervalIsBetweenOrderStatistics) {
  for (const auto& [count, rank] : {std::pair(1, 1), {5, 1}, {8, 1}, {9, 2}, {10, 2}, {12, 3}, {20, 6}}) {
    std::vector<double> ratios;
    for (int i = count; i >= 1; --i) ratios.push_back(100 + i);
    const Speedup speedup = SummarizeRatios(ratios);
    EXPECT_DOUBLE_EQ(speedup.median, 100 + (count + 1) / 2.0) << count;
    EXPECT_DOUBLE_EQ(speedup.low, (100 + rank) * 0.98) << count;
    EXPECT_DOUBLE_EQ(speedup.high, (100 + count + 1 - rank) * 1.02) << count;
  }
}

TEST(Speedup, OneDisturbedPairChangesNothingAndManyAreCalledBusy) {
  const Speedup one = SummarizeRatios(std::vector<double>{2, 2, 2, 2, 2, 2, 2, 2, 2, 46});
  EXPECT_EQ(one.median, 2);
  EXPECT_LT(one.high, 2.1);
  EXPECT_FALSE(one.busy);
  EXPECT_TRUE(SummarizeRatios(std::vector<double>{2, 2, 2, 2, 2, 2, 2, 2, 46, 20}).busy);
}

LatencyPair Found(double low, double high, bool busy = false) {
  return {.speedup = {.median = (low + high) / 2, .low = low, .high = high, .busy = busy}};
}

struct Confirmed {
  size_t looks = 0;
  Speedup speedup;
};

Confirmed Confirm(const std::vector<LatencyPair>& found) {
  Confirmed confirmed;
  const auto pair = ConfirmSlower([&](double) -> Result<LatencyPair> { return found.at(confirmed.looks++); });
  confirmed.speedup = pair->speedup;
  return confirmed;
}

TEST(ConfirmSlower, WhatIsNotSlowerIsMeasuredOnce) {
  for (const LatencyPair& pair : {Found(1.4, 1.6), Found(0.9, 1.1), Found(0.5, 1.6, /*busy=*/true)})
    EXPECT_EQ(Confirm({pair}).looks, 1);
}

TEST(ConfirmSlower, TwoMeasurementsThatAgreeGiveAnIntervalOfBoth) {
  const auto [looks, speedup] = Confirm({Found(0.7, 0.8), Found(0.75, 0.85)});
  EXPECT_EQ(looks, 2);
  EXPECT_EQ(std::tuple(speedup.median, speedup.low, speedup.high, speedup.busy), std::tuple(0.8, 0.7, 0.85, false));
}

// An interval of both would be as wide as on a busy machine.
TEST(ConfirmSlower, TwoThatDifferTooMuchDoNotConfirmEachOther) {
  const auto [looks, speedup] = Confirm({Found(0.5, 0.6), Found(0.7, 0.8), Found(0.72, 0.82)});
  EXPECT_EQ(looks, 3);
  EXPECT_EQ(std::tuple(speedup.low, speedup.high, speedup.busy), std::tuple(0.7, 0.82, false));
  EXPECT_TRUE(Confirm({Found(0.5, 0.6), Found(0.7, 0.8), Found(0.5, 0.6)}).speedup.busy);
}

TEST(ConfirmSlower, TheSecondLookMayFindNothing) {
  for (const LatencyPair& first : {Found(0.7, 0.8), Found(0.8, 1.0)}) {
    const auto [looks, speedup] = Confirm({first, Found(0.9, 1.05)});
    EXPECT_EQ(looks, 2);
    EXPECT_EQ(speedup.high, 1.05);
  }
}

TEST(ConfirmSlower, WhatIsUnclearMayBecomeClear) {
  const auto [looks, speedup] = Confirm({Found(0.8, 1.02), Found(0.9, 0.98), Found(0.9, 0.97)});
  EXPECT_EQ(looks, 3);
  EXPECT_EQ(std::pair(speedup.low, speedup.high), std::pair(0.9, 0.98));
}

TEST(ConfirmSlower, ABusyMachineConfirmsNothing) {
  const auto busy = Found(0.4, 0.5, /*busy=*/true);
  EXPECT_FALSE(Confirm({busy, Found(0.7, 0.8), Found(0.7, 0.8)}).speedup.busy);
  EXPECT_TRUE(Confirm({busy, Found(0.7, 0.8), busy}).speedup.busy);
  EXPECT_TRUE(Confirm({Found(0.7, 0.8), busy, busy}).speedup.busy);
  EXPECT_TRUE(Confirm({busy, busy, Found(0.7, 0.8)}).speedup.busy);
}

/// y = Softmax(x), which takes some time.
Session Slow() {
  Model model;
  model.ir_version = 8;
  model.opsets = {{"", 13}};
  model.graph.name = "slow";
  const ValueInfo spec{.type = DataType::kFloat, .shape = Shape{1, 20000}};
  model.graph.AddInput("x", spec);
  model.graph.AddNode("Softmax", {"x"}, {"y"}, "softmax");
  model.graph.AddOutput("y", spec);
  Result<Session> session = Session::OpenModel(model, TimedSession({.threads = 1}), {});
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  return std::move(session).value();
}

TEST(MeasureLatency, AModelAgainstItselfBesideBusyThreadsIsEqualOrBusy) {
  Session a = Slow(), b = Slow();
  const std::vector<NamedTensor> feeds = {{"x", Tensor::FromFloats({1, 20000}, std::vector<float>(20000, 1))}};
  std::atomic<bool> stop = false;
  std::vector<std::thread> load;
  for (int thread = 0; thread < 3 * AvailableCores(); ++thread)
    load.emplace_back([&] {
      while (!stop) continue;
    });
  int64_t reports = 0;
  RunContext context{.threads = 1};
  context.progress = [&](const Progress& progress) { reports += progress.stage == "latency"; };
  const Result<LatencyPair> pair = MeasureLatency(a, b, feeds, 1, 0.1, context);
  stop = true;
  for (std::thread& thread : load) thread.join();
  ASSERT_TRUE(pair.ok()) << pair.status().ToString();
  const Speedup& speedup = pair->speedup;
  EXPECT_TRUE(speedup.busy || (speedup.low <= 1 && 1 <= speedup.high)) << speedup.low << " " << speedup.high;
  // With one thread, wherever Linux tells how long threads wait.
  if (std::filesystem::exists("/proc/self/schedstat")) EXPECT_TRUE(speedup.of_processor_time);
  EXPECT_GE(reports, 10);
}

}  // namespace
}  // namespace preon
