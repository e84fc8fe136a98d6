// Derived sketches against sketches of the values themselves.
#include <gtest/gtest.h>

#include <cmath>

#include "stats/sketch_testing.h"

namespace preon {
namespace {

using Gate = ScalarFunction::Gate;

const ScalarFunction kFunctions[] = {{Gate::kSigmoid},
                                     {Gate::kTanh},
                                     {Gate::kHardSigmoid, 0.2f, 0.5f},
                                     {Gate::kSigmoid, 0, 0, true},
                                     {Gate::kHardSigmoid, 1.0f / 6, 0.5f, true}};

std::vector<float> Apply(const ScalarFunction& function, const std::vector<float>& x) {
  std::vector<float> y(x.size());
  function.Apply(x.data(), x.size(), y.data());
  return y;
}

/// The value below which `share` of all lie, from the histogram: the middle of its bin.
double Quantile(const TensorSketch& sketch, double share) {
  const Histogram histogram = sketch.ReadHistogram();
  double below = 0;
  const double wanted = share * (histogram.total() + histogram.zeros);
  for (size_t bin = 0; bin < histogram.counts.size(); ++bin) {
    const double edge = histogram.lower_edge + static_cast<double>(bin) * histogram.width;
    if (edge == 0) below += histogram.zeros;
    if (below >= wanted) return edge;
    below += histogram.counts[bin];
    if (below >= wanted) return edge + histogram.width / 2;
  }
  return static_cast<double>(sketch.max());
}

struct Both {
  TensorSketch source, observed, derived;
};

Both Sketch(const ScalarFunction& function, const std::vector<std::vector<float>>& samples) {
  Both both;
  for (const std::vector<float>& sample : samples) {
    both.source.Update(sample);
    both.observed.Update(Apply(function, sample));
  }
  both.derived.DeriveFrom(both.source, function);
  return both;
}

std::vector<std::vector<float>> RandomSamples(size_t count, size_t size, float scale, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(-0.2f * scale, scale);
  std::vector<std::vector<float>> samples(count, std::vector<float>(size));
  for (std::vector<float>& sample : samples) {
    for (float& x : sample) x = random() % 9 == 0 ? 0 : normal(random);
  }
  return samples;
}

TEST(DeriveFrom, CountsAndExtremesAreThoseOfTheValues) {
  for (const ScalarFunction& function : kFunctions) {
    for (const float scale : {0.01f, 1.0f, 9.0f}) {
      const Both both = Sketch(function, RandomSamples(5, 3000, scale, 3));
      EXPECT_EQ(both.derived.count(), both.observed.count());
      EXPECT_EQ(both.derived.samples(), both.observed.samples());
      // An inner minimum is flat: some value comes nearer to it than 1e-4 of what is around.
      const float near = 1e-4f * std::max(std::fabs(both.observed.min()), std::fabs(both.observed.max()));
      EXPECT_NEAR(both.derived.min(), both.observed.min(), near);
      EXPECT_NEAR(both.derived.max(), both.observed.max(), near);
      EXPECT_NEAR(both.derived.mean(), both.observed.mean(), 2e-3 * std::sqrt(both.observed.variance()));
      EXPECT_NEAR(both.derived.variance(), both.observed.variance(), 5e-3 * both.observed.variance());
      EXPECT_EQ(both.derived.ReadHistogram().total() + static_cast<double>(both.derived.zero_count()),
                static_cast<double>(both.derived.finite_count()));
    }
  }
}

// The bound of docs/design/sketch.md where all of x is counted: one bin of the source, stretched by the slope (at most
// 1.2 for these functions), and one of each histogram of the result.
TEST(DeriveFrom, QuantilesAreWithinABinOfTheSource) {
  double worst = 0;
  for (const ScalarFunction& function : kFunctions) {
    for (const float scale : {0.3f, 1.0f, 9.0f}) {
      const Both both = Sketch(function, RandomSamples(6, 8000, scale, 5));
      const double bins = 1.2 * both.source.ReadHistogram().width + 2 * both.observed.ReadHistogram().width;
      // Up to the gap to the next value; quantiles that lie among many values have none to speak of.
      for (const double share : {0.02, 0.1, 0.5, 0.8, 0.99}) {
        const double off = std::fabs(Quantile(both.derived, share) - Quantile(both.observed, share));
        EXPECT_LE(off, bins + 1e-3 * static_cast<double>(both.observed.max())) << share << " scale " << scale;
        worst = std::max(worst, off / bins);
      }
    }
  }
  EXPECT_GT(worst, 0.05);
}

// In large samples the bulk is an estimate in either: four standard deviations of a share, docs/design/sketch.md.
TEST(DeriveFrom, SharesOfLargeSamplesAreWithinTheSamplingError) {
  for (const ScalarFunction& function : kFunctions) {
    const auto samples = RandomSamples(8, 60000, 3, 7);
    const Both both = Sketch(function, samples);
    std::vector<float> values;
    for (const auto& sample : samples) {
      const std::vector<float> y = Apply(function, sample);
      values.insert(values.end(), y.begin(), y.end());
    }
    std::sort(values.begin(), values.end());
    for (const double share : {0.1, 0.5, 0.9, 0.99}) {
      const double at = Quantile(both.derived, share) + both.source.ReadHistogram().width;
      const auto below = std::upper_bound(values.begin(), values.end(), static_cast<float>(at)) - values.begin();
      EXPECT_GT(static_cast<double>(below) / static_cast<double>(values.size()), share - 2 / std::sqrt(8 * 1024.0));
    }
  }
}

TEST(DeriveFrom, SampleExtremesFollow) {
  for (const ScalarFunction& function : kFunctions) {
    const Both both = Sketch(function, RandomSamples(40, 500, 2, 11));
    const double range = static_cast<double>(both.observed.max() - both.observed.min());
    EXPECT_NEAR(both.derived.median_extremes().min, both.observed.median_extremes().min, 0.03 * range);
    EXPECT_NEAR(both.derived.median_extremes().max, both.observed.median_extremes().max, 0.03 * range);
    EXPECT_NEAR(both.derived.mean_extremes().max, both.observed.mean_extremes().max, 0.03 * range);
  }
}

TEST(DeriveFrom, GivesTheSameBytesAfterAnyMerge) {
  const ScalarFunction silu{Gate::kSigmoid, 0, 0, true};
  const auto samples = RandomSamples(9, 20000, 2, 13);
  TensorSketch whole, parts[3], backwards;
  for (size_t i = 0; i < samples.size(); ++i) {
    whole.Update(samples[i]);
    parts[i % 3].Update(samples[i]);
  }
  for (const size_t part : {2, 0, 1}) ASSERT_TRUE(backwards.Merge(parts[part]).ok());
  TensorSketch of_whole, of_merged;
  of_whole.DeriveFrom(whole, silu);
  of_merged.DeriveFrom(parts[1], silu);  // what it held before does not matter
  of_merged.DeriveFrom(backwards, silu);
  EXPECT_EQ(of_whole.Serialize(), of_merged.Serialize());
  const Result<TensorSketch> parsed = TensorSketch::Parse(of_whole.Serialize());
  ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
}

TEST(DeriveFrom, OfNothingAndOfConstants) {
  for (const ScalarFunction& function : kFunctions) {
    const Both nothing = Sketch(function, {});
    EXPECT_EQ(nothing.derived.Serialize(), nothing.observed.Serialize());
    for (const float x : {0.0f, -3.0f, 2.5f}) {
      const Both constant = Sketch(function, {std::vector<float>(100, x)});
      EXPECT_NEAR(constant.derived.min(), constant.observed.min(), 1e-6);
      EXPECT_EQ(constant.derived.min(), constant.derived.max());
      EXPECT_EQ(constant.derived.finite_count(), 100u);
      EXPECT_TRUE(TensorSketch::Parse(constant.derived.Serialize()).ok());
    }
  }
}

TEST(DeriveFrom, LeavesInfinitiesOut) {
  const Both both = Sketch({Gate::kTanh}, {{1, -2, std::numeric_limits<float>::infinity()}});
  EXPECT_EQ(both.derived.inf_count(), 1u);
  EXPECT_EQ(both.derived.finite_count(), 2u);
}

// Means come from the very elements that an observer of the product would have taken.
TEST(DerivedMeans, AreThoseOfTheObservedProduct) {
  for (const ScalarFunction& function : kFunctions) {
    for (const int64_t block : {1, 16}) {
      for (const int64_t inner : {50, 3000}) {
        const ChannelLayout layout{.samples = 2, .channels = 20, .inner = inner, .block = block};
        const int64_t stored = (layout.channels + block - 1) / block * block;
        const std::vector<float> x = RandomSamples(1, static_cast<size_t>(2 * stored * inner), 2, 17)[0];
        const std::vector<float> y = Apply(function, x);
        TensorSketch source, derived({.mean_channels = 20}), observed({.mean_channels = 20});
        SketchStep step{.sketch = &source, .data = x.data(), .derived = {{&derived, function}}};
        TensorSketch::UpdateTogether({&step, 1}, layout, Threads(3));
        observed.Update(y.data(), layout, Threads(3));
        EXPECT_EQ(derived.channel_means(), observed.channel_means());
        derived.DeriveFrom(source, function);
        EXPECT_EQ(derived.channel_means(), observed.channel_means());
        EXPECT_EQ(derived.config(), observed.config());
      }
    }
  }
}

TEST(ScalarFunction, ExtremesAreThoseOfAFineGrid) {
  for (const ScalarFunction& function : kFunctions) {
    for (const auto& [low, high] :
         std::vector<std::pair<double, double>>{{-9, 4}, {-5, -1.5}, {-1, 3}, {-4, -2}, {0, 0}}) {
      double min = function(low), max = min;
      for (int i = 0; i <= 100000; ++i) {
        const double y = function(low + (high - low) * i / 100000);
        min = std::min(min, y);
        max = std::max(max, y);
      }
      const auto [got_min, got_max] = function.Extremes(low, high);
      EXPECT_NEAR(got_min, min, 1e-8);
      EXPECT_NEAR(got_max, max, 1e-8);
      EXPECT_LE(got_min, min);
      EXPECT_GE(got_max, max);
    }
  }
}

TEST(ScalarFunction, AppliedInFloatIsTheSameFunction) {
  for (const ScalarFunction& function : kFunctions) {
    const std::vector<float> x = RandomSamples(1, 2000, 5, 19)[0];
    const std::vector<float> y = Apply(function, x);
    for (size_t i = 0; i < x.size(); ++i) {
      const double exact = function(static_cast<double>(x[i]));
      EXPECT_NEAR(static_cast<double>(y[i]), exact, 1e-6 * std::fabs(exact) + 1e-12);
    }
  }
}

}  // namespace
}  // namespace preon
