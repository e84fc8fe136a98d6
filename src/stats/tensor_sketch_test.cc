#include "stats/tensor_sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "stats/sampling.h"
#include "stats/sketch_testing.h"
#include "stats/tensor_histogram.h"

namespace preon {
namespace {

constexpr SketchConfig kExactConfig{.mode = SketchMode::kExact};

TEST(TensorSketch, EmptySketch) {
  const TensorSketch sketch;
  EXPECT_EQ(sketch.count(), 0u);
  EXPECT_EQ(sketch.min(), 0);
  EXPECT_EQ(sketch.max(), 0);
  EXPECT_EQ(sketch.mean(), 0);
  EXPECT_EQ(sketch.variance(), 0);
  EXPECT_TRUE(sketch.ReadHistogram().counts.empty());
}

TEST(TensorSketch, AgreesWithBruteForce) {
  for (const size_t count : {size_t{1}, size_t{100}, kRunLength, kRunLength + 1, size_t{100000}}) {
    const std::vector<float> values = SketchTestData(count, static_cast<uint32_t>(count));
    TensorSketch sketch(kExactConfig);
    sketch.Update(values);
    double sum = 0, squares = 0;
    for (const float value : values) sum += value, squares += static_cast<double>(value) * value;
    const double mean = sum / static_cast<double>(count), mean_square = squares / static_cast<double>(count);
    EXPECT_EQ(sketch.count(), count);
    EXPECT_EQ(sketch.samples(), 1u);
    EXPECT_EQ(sketch.zero_count(), static_cast<uint64_t>(std::count(values.begin(), values.end(), 0.0f)));
    EXPECT_EQ(sketch.min(), *std::min_element(values.begin(), values.end()));
    EXPECT_EQ(sketch.max(), *std::max_element(values.begin(), values.end()));
    EXPECT_NEAR(sketch.mean(), mean, std::ldexp(std::sqrt(mean_square), -19));
    EXPECT_NEAR(sketch.variance(), count == 1 ? 0 : mean_square - mean * mean, std::ldexp(mean_square, -18));
    const Histogram histogram = sketch.ReadHistogram();
    EXPECT_EQ(histogram.counts, BruteForceCounts(values, histogram));
    EXPECT_EQ(histogram.zeros, static_cast<double>(sketch.zero_count()));
    const double reach = std::max(std::fabs(sketch.min()), std::fabs(sketch.max()));
    EXPECT_GE(reach / histogram.width, reach > 0 ? 2048 : 0);
    EXPECT_LT(reach / histogram.width, 4096);
  }
}

TEST(TensorSketch, SampledModeIsExactForSmallTensors) {
  const std::vector<float> values = SketchTestData(kRunLength, 5);
  TensorSketch sampled, exact(kExactConfig);
  for (int sample = 0; sample < 3; ++sample) {
    sampled.Update(values);
    exact.Update(values);
  }
  EXPECT_EQ(sampled.ReadHistogram().counts, exact.ReadHistogram().counts);
}

TEST(TensorSketch, TailIsExactInSampledMode) {
  std::vector<float> all;
  TensorSketch sketch;
  for (uint32_t sample = 0; sample < 6; ++sample) {
    const std::vector<float> values = SketchTestData(sample == 3 ? 500 : 50000, sample);
    sketch.Update(values);
    all.insert(all.end(), values.begin(), values.end());
  }
  const Histogram histogram = sketch.ReadHistogram();
  const std::vector<double> wanted = BruteForceCounts(all, histogram);
  size_t exact_bins = 0, off_bins = 0;
  for (size_t bin = 0; bin < wanted.size(); ++bin) {
    const double edge = histogram.lower_edge + static_cast<double>(bin) * histogram.width;
    const double magnitude = edge < 0 ? -edge - histogram.width : edge;
    if (magnitude >= static_cast<double>(kTailBin) * histogram.width) {
      ASSERT_EQ(histogram.counts[bin], wanted[bin]) << bin;
      exact_bins += wanted[bin] > 0;
    } else {
      off_bins += histogram.counts[bin] != wanted[bin];
    }
  }
  EXPECT_GT(exact_bins, 15u);
  EXPECT_GT(off_bins, 100u) << "nothing was sampled: the test compares the exact histogram with itself";
  EXPECT_NEAR(histogram.total(), static_cast<double>(sketch.finite_count() - sketch.zero_count()),
              1e-6 * histogram.total());
}

// docs/design/sketch.md: independent values, m of them counted -> the share below any point is off by less than
// 4 standard deviations, 4 * sqrt(1 / (4 m)).
TEST(TensorSketch, BulkIsWithinTheStatedBound) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const std::vector<float> values = SketchTestData(seed % 2 ? 60000 : 600000, seed);
    TensorSketch sketch;
    sketch.Update(values);
    const Histogram histogram = sketch.ReadHistogram();
    const std::vector<double> wanted = BruteForceCounts(values, histogram);
    const double total = histogram.total();
    double share = 0, wanted_share = 0, worst = 0;
    for (size_t bin = 0; bin < wanted.size(); ++bin) {
      share += histogram.counts[bin] / total;
      wanted_share += wanted[bin] / total;
      worst = std::max(worst, std::fabs(share - wanted_share));
    }
    const double counted = total / static_cast<double>(SampleRate(values.size()));
    EXPECT_LT(worst, 4 * std::sqrt(1 / (4 * counted))) << seed;
    EXPECT_GT(worst, 0) << seed;
  }
}

TEST(TensorSketch, BulkThatTheSubsetMissesIsSpreadEvenly) {
  std::vector<float> values(100000);
  values[0] = 1000;  // makes the rest bulk
  const size_t rate = SampleRate(values.size());
  values[((SampledBlock(2, rate) + 1) % rate + 2 * rate) * kSampleBlock] = 3;  // in a block that is not counted
  TensorSketch sketch;
  sketch.Update(values);
  const Histogram histogram = sketch.ReadHistogram();
  EXPECT_NEAR(histogram.total(), 2, 1e-9);
  EXPECT_EQ(histogram.counts.back(), 1);
  EXPECT_GT(histogram.counts.front(), 0);
}

// Scores: far below zero but for a few, which the subset of one in 64 misses and the tail of the larger end does not
// hold.
TEST(TensorSketch, EndsBeyondTheSubsetAreNotEmpty) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(-6, 0.5f);
  std::vector<float> values(1 << 17);
  for (float& x : values) x = normal(random);
  values[5] = -30;
  for (size_t at : {99u, 70001u, 130000u}) values[at] = 1.5f;
  TensorSketch sketch;
  sketch.Update(values);
  const Histogram histogram = sketch.ReadHistogram();
  EXPECT_NEAR(histogram.total(), 1 << 17, 1e-6 * (1 << 17));
  double above_1 = 0;
  for (size_t bin = 0; bin < histogram.counts.size(); ++bin) {
    if (histogram.lower_edge + static_cast<double>(bin) * histogram.width >= 1) above_1 += histogram.counts[bin];
  }
  EXPECT_GT(above_1, 1);
  EXPECT_LT(above_1, 300);
}

// Masks and clipped values: no bin has a single element.
TEST(TensorSketch, ValuesThatRepeatKeepTheirMass) {
  std::vector<float> values(1 << 15, 1.0f);
  values[5] = -1.5f;
  values[9] = 4;
  TensorSketch sketch;
  sketch.Update(values);
  const Histogram histogram = sketch.ReadHistogram();
  EXPECT_GT(*std::ranges::max_element(histogram.counts), 0.99 * (1 << 15));
}

TEST(TensorSketch, NonFiniteValuesAreCountedApart) {
  std::vector<float> values = SketchTestData(20000, 1);
  const std::vector<float> finite(values.begin() + 6, values.end());
  values[0] = values[1] = std::numeric_limits<float>::quiet_NaN();
  values[2] = values[3] = values[4] = std::numeric_limits<float>::infinity();
  values[5] = -std::numeric_limits<float>::infinity();
  TensorSketch sketch(kExactConfig);
  sketch.Update(values);
  EXPECT_EQ(sketch.nan_count(), 2u);
  EXPECT_EQ(sketch.inf_count(), 4u);
  EXPECT_EQ(sketch.finite_count(), values.size() - 6);
  EXPECT_EQ(sketch.min(), *std::min_element(finite.begin(), finite.end()));
  EXPECT_EQ(sketch.max(), *std::max_element(finite.begin(), finite.end()));
  const Histogram histogram = sketch.ReadHistogram();
  EXPECT_EQ(histogram.counts, BruteForceCounts(finite, histogram));
}

TEST(TensorSketch, EdgeData) {
  using Limits = std::numeric_limits<float>;
  const std::vector<std::vector<float>> cases = {{0.7f},
                                                 std::vector<float>(10000, 0.7f),
                                                 std::vector<float>(10000, -3.0f),
                                                 std::vector<float>(10000, 0.0f),
                                                 {Limits::max(), Limits::lowest(), Limits::denorm_min()},
                                                 {Limits::denorm_min(), -Limits::denorm_min()},
                                                 {Limits::min(), Limits::denorm_min()},
                                                 {-1, -2, -3},
                                                 {Limits::infinity()},
                                                 {Limits::quiet_NaN(), 0},
                                                 {1, 1e30f, 1e-30f},
                                                 {-0.0f}};
  for (const std::vector<float>& values : cases) {
    SCOPED_TRACE(values[0]);
    TensorSketch sketch(kExactConfig);
    sketch.Update(values);
    const Histogram histogram = sketch.ReadHistogram();
    EXPECT_EQ(histogram.counts, BruteForceCounts(values, histogram));
    const auto again = TensorSketch::Parse(sketch.Serialize());
    ASSERT_TRUE(again.ok()) << again.status().ToString();
    EXPECT_EQ(again->Serialize(), sketch.Serialize());
    if (sketch.min() == sketch.max()) {
      EXPECT_EQ(sketch.variance(), 0);
      EXPECT_EQ(sketch.mean(), sketch.min());
    }
    EXPECT_FALSE(std::signbit(sketch.min()) && sketch.min() == 0);
  }
}

TEST(TensorSketch, ZeroSizedTensorsAreOnlySamples) {
  TensorSketch sketch;
  sketch.Update(nullptr, {.samples = 3, .inner = 0});
  EXPECT_EQ(sketch.samples(), 3u);
  EXPECT_EQ(sketch.count(), 0u);
  sketch.Update(nullptr, {.samples = 0, .inner = 10});
  EXPECT_EQ(sketch.samples(), 3u);
}

TEST(TensorSketch, OnlySketchesOfTheSameKindMerge) {
  TensorSketch sampled, exact(kExactConfig), channels({.channels = 3});
  EXPECT_EQ(sampled.Merge(exact).id(), ErrorId::kSketchMismatch);
  EXPECT_EQ(sampled.Merge(channels).id(), ErrorId::kSketchMismatch);
  EXPECT_TRUE(sampled.Merge(TensorSketch()).ok());
}

}  // namespace
}  // namespace preon
