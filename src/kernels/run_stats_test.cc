#include "kernels/run_stats.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "kernels/kernel_testing.h"

namespace preon {
namespace {

void ExpectSameStats(const RunStats& got, const RunStats& wanted) {
  EXPECT_EQ(got.zeros, wanted.zeros);
  EXPECT_EQ(got.nans, wanted.nans);
  EXPECT_EQ(got.infs, wanted.infs);
  EXPECT_EQ(std::bit_cast<uint32_t>(got.min), std::bit_cast<uint32_t>(wanted.min));
  EXPECT_EQ(std::bit_cast<uint32_t>(got.max), std::bit_cast<uint32_t>(wanted.max));
  EXPECT_EQ(std::bit_cast<uint64_t>(got.sum), std::bit_cast<uint64_t>(wanted.sum));
  EXPECT_EQ(std::bit_cast<uint64_t>(got.sum_squares), std::bit_cast<uint64_t>(wanted.sum_squares));
  EXPECT_EQ(got.tail, wanted.tail);
}

TEST(RunStats, EveryTargetGivesTheReferencesBits) {
  ForEachKernelTarget([](const std::string& target) {
    for (const size_t length : KernelTestLengths(kMaxRun)) {
      for (size_t offset = 0; offset < (length < 100 ? 16 : 3); ++offset) {
        SCOPED_TRACE(target + " length " + std::to_string(length) + " offset " + std::to_string(offset));
        const MisalignedFloats x(RandomFloats(length, static_cast<uint32_t>(length + offset)), offset);
        ExpectSameStats(ComputeRunStats(x.data(), length, 2.5f), reference::ComputeRunStats(x.data(), length, 2.5f));
        if (::testing::Test::HasFailure()) return;
      }
    }
  });
}

// With lanes: the same statistics, and the lanes of the slow kernel.
void ExpectSameLanes(const float* x, size_t length, float tail_bound) {
  LaneExtremes got, wanted;
  ExpectSameStats(ComputeRunStats(x, length, tail_bound, &got),
                  reference::ComputeRunStats(x, length, tail_bound, &wanted));
  for (size_t lane = 0; lane < kStatLanes; ++lane) {
    EXPECT_EQ(got.min[lane], wanted.min[lane]) << "lane " << lane;
    EXPECT_EQ(got.max[lane], wanted.max[lane]) << "lane " << lane;
  }
}

TEST(RunStats, LanesOnEveryTarget) {
  ForEachKernelTarget([](const std::string& target) {
    for (const size_t length : KernelTestLengths(kMaxRun)) {
      SCOPED_TRACE(target + " length " + std::to_string(length));
      const std::vector<float> x = RandomFloats(length, static_cast<uint32_t>(length));
      ExpectSameLanes(x.data(), length, 2.5f);
      const std::vector<float> edges = WithEdgeValues(x, static_cast<uint32_t>(length), 50);
      ExpectSameLanes(edges.data(), length, 2.5f);
      if (::testing::Test::HasFailure()) return;
    }
  });
}

TEST(RunStats, ExtremesOfOneSign) {
  ForEachKernelTarget([](const std::string& target) {
    SCOPED_TRACE(target);
    for (const float sign : {1.0f, -1.0f}) {
      std::vector<float> x = RandomFloats(1500, 3);
      for (float& value : x) value = sign * (std::abs(value) + 1e-40f);
      ExpectSameStats(ComputeRunStats(x.data(), x.size(), 1), reference::ComputeRunStats(x.data(), x.size(), 1));
      for (const float zero : {0.0f, -0.0f}) {
        x[700] = zero;
        ExpectSameStats(ComputeRunStats(x.data(), x.size(), 1), reference::ComputeRunStats(x.data(), x.size(), 1));
      }
    }
  });
}

TEST(RunStats, EdgeValuesOnEveryTarget) {
  ForEachKernelTarget([](const std::string& target) {
    SCOPED_TRACE(target);
    for (uint32_t seed = 0; seed < 40; ++seed) {
      const float scale = std::ldexp(1.0f, static_cast<int>(seed) * 6 - 130);
      const std::vector<float> plain = RandomFloats(1500, seed, scale);
      for (const auto& values : {plain, WithEdgeValues(plain, seed, 50), WithEdgeValues(plain, seed, 1500)}) {
        ExpectSameStats(ComputeRunStats(values.data(), values.size(), scale),
                        reference::ComputeRunStats(values.data(), values.size(), scale));
      }
    }
  });
}

TEST(RunStats, CountsAndExtremesAreExactAndSumsWithinTheBound) {
  for (const float scale : {1e-40f, 1e-30f, 1.0f, 1e15f, 1e25f, 3e37f}) {
    const std::vector<float> x = WithEdgeValues(RandomFloats(4000, 7, scale), 7, scale == 1.0f ? 500 : 5000000);
    double sum = 0, sum_squares = 0, magnitudes = 0;
    RunStats wanted{.min = INFINITY, .max = -INFINITY};
    for (size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(x[i])) ++wanted.nans;
      if (std::isinf(x[i])) ++wanted.infs;
      if (!std::isfinite(x[i])) continue;
      wanted.zeros += x[i] == 0;
      wanted.min = std::fmin(wanted.min, x[i]);
      wanted.max = std::fmax(wanted.max, x[i]);
      sum += x[i];
      magnitudes += std::fabs(x[i]);
      sum_squares += static_cast<double>(x[i]) * x[i];
    }
    const RunStats got = ComputeRunStats(x.data(), x.size(), scale * 2);
    EXPECT_NEAR(got.sum, sum, std::ldexp(magnitudes, -19));
    EXPECT_NEAR(got.sum_squares, sum_squares, std::ldexp(sum_squares, -19));
    wanted.sum = got.sum;
    wanted.sum_squares = got.sum_squares;
    wanted.tail = got.tail;
    ExpectSameStats(got, wanted);
  }
}

TEST(RunStats, TheTailsGroupsAreFlagged) {
  for (const int exponent : {-149, -100, -40, -3, 0, 40, 100, 127}) {
    const float scale = std::ldexp(1.0f, exponent);
    std::vector<float> x(2000, scale / 4);
    RunGroups wanted{};
    for (const size_t i : {0, 100, 777, 1999}) {
      x[i] = i % 2 == 0 ? scale : -scale;
      wanted[i / kStatLanes / 64] |= uint64_t{1} << (i / kStatLanes % 64);
    }
    const RunGroups tail = ComputeRunStats(x.data(), x.size(), scale).tail;
    EXPECT_EQ(tail, wanted) << exponent;
  }
}

TEST(RunStats, ZerosHaveNoSign) {
  const float zeros[] = {-0.0f, 0.0f, -0.0f};
  const RunStats stats = ComputeRunStats(zeros, 3, 1);
  EXPECT_EQ(stats.zeros, 3u);
  EXPECT_FALSE(std::signbit(stats.min) || std::signbit(stats.max));
}

TEST(RunStats, EmptyRun) {
  const RunStats stats = ComputeRunStats(nullptr, 0, 1);
  EXPECT_EQ(stats.min, INFINITY);
  EXPECT_EQ(stats.max, -INFINITY);
  EXPECT_EQ(stats.tail, RunGroups{});
}

TEST(ReplaceNonFinite, KeepsTheRest) {
  float x[] = {1, NAN, -INFINITY, -2};
  ReplaceNonFinite(x, 4, x);
  EXPECT_EQ(std::vector<float>(x, x + 4), (std::vector<float>{1, 0, 0, -2}));
}

}  // namespace
}  // namespace preon
