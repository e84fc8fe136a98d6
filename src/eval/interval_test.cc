#include "eval/interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace preon {
namespace {

// Values of Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3.
TEST(ShareInterval, PublishedValues) {
  const auto near = [](const ConfidenceInterval& interval, double low, double high) {
    EXPECT_NEAR(interval.low, low, 5e-5);
    EXPECT_NEAR(interval.high, high, 5e-5);
  };
  near(ShareInterval(81, 263), 0.2553, 0.3662);
  near(ShareInterval(15, 148), 0.0624, 0.1605);
  near(ShareInterval(0, 20), 0, 0.1611);
  near(ShareInterval(1, 29), 0.0061, 0.1718);
  near(ShareInterval(20, 20), 1 - 0.1611, 1);
}

// Values of Newcombe 1998 on paired data, table II, method 10.
TEST(DifferenceInterval, PublishedValues) {
  const ConfidenceInterval some = DifferenceInterval({.both = 36, .first_only = 12, .second_only = 2, .neither = 0});
  EXPECT_NEAR(some.low, 0.0569, 5e-3);
  EXPECT_NEAR(some.high, 0.3404, 5e-3);
  const ConfidenceInterval none = DifferenceInterval({.both = 20});
  EXPECT_LT(none.low, -0.1);
  EXPECT_GT(none.high, 0.1);
}

TEST(BootstrapInterval, ContainsTheMeanAsOftenAsItSays) {
  std::mt19937 random(3);
  std::lognormal_distribution<double> values(0, 0.5);
  const double mean = std::exp(0.125);
  for (const size_t count : {8u, 20u, 100u}) {
    int contained = 0;
    for (int repetition = 0; repetition < 200; ++repetition) {
      std::vector<double> sample(count);
      for (double& value : sample) value = values(random);
      const ConfidenceInterval interval = BootstrapInterval(count, [&](std::span<const size_t> drawn) {
        double sum = 0;
        for (const size_t index : drawn) sum += sample[index];
        return sum / static_cast<double>(count);
      });
      contained += interval.low <= mean && mean <= interval.high;
    }
    EXPECT_GE(contained, 176) << count;
    EXPECT_LE(contained, 199) << count;
  }
}

TEST(BootstrapInterval, OneSampleTellsNothingOfOthers) {
  const ConfidenceInterval interval = BootstrapInterval(1, [](std::span<const size_t>) { return 3.0; });
  EXPECT_EQ(interval.low, 3);
  EXPECT_EQ(interval.high, 3);
}

// A sample of twenty has a hundred times the noise: what the percentiles of BootstrapInterval do not foresee.
TEST(DecibelInterval, ContainsTheFigureAlsoWhereFewSamplesHaveMostOfTheNoise) {
  std::mt19937 random(5);
  std::lognormal_distribution<double> spread(0, 0.5);
  std::bernoulli_distribution is_rare(0.05);
  const double mean = std::exp(0.125), figure = 10 * std::log10(1 / (0.01 * (0.95 + 0.05 * 100)));
  int contained = 0, by_percentiles = 0;
  for (int repetition = 0; repetition < 200; ++repetition) {
    std::vector<double> signal, noise;
    for (int sample = 0; sample < 60; ++sample) {
      signal.push_back(spread(random) / mean);
      noise.push_back(0.01 * spread(random) / mean * (is_rare(random) ? 100 : 1));
    }
    const auto interval = DecibelInterval(signal, noise);
    ASSERT_TRUE(interval);
    contained += interval->low <= figure && figure <= interval->high;
    const ConfidenceInterval percentiles = BootstrapInterval(signal.size(), [&](std::span<const size_t> drawn) {
      double signals = 0, noises = 0;
      for (const size_t index : drawn) {
        signals += signal[index];
        noises += noise[index];
      }
      return 10 * std::log10(signals / noises);
    });
    by_percentiles += percentiles.low <= figure && figure <= percentiles.high;
  }
  EXPECT_GE(contained, 180);
  EXPECT_LT(by_percentiles, contained);
}

TEST(DecibelInterval, LiesBetweenTheSamples) {
  std::vector<double> signal(24, 1.0), noise(24, 1e-5);
  noise[7] = 0.5;
  for (size_t sample = 0; sample < signal.size(); ++sample) signal[sample] += 0.01 * static_cast<double>(sample);
  const auto interval = DecibelInterval(signal, noise);
  ASSERT_TRUE(interval);
  EXPECT_GE(interval->low, 10 * std::log10(signal[7] / noise[7]) - 1e-9);
  EXPECT_LE(interval->high, 10 * std::log10(signal[23] / noise[23]) + 1e-9);
}

TEST(DecibelInterval, NoneWhereSamplesDoNotDiffer) {
  const std::vector<double> signal(10, 2.0), noise(10, 0.5), none(10, 0.0);
  EXPECT_FALSE(DecibelInterval(signal, noise));
  EXPECT_FALSE(DecibelInterval(signal, none));
}

}  // namespace
}  // namespace preon
