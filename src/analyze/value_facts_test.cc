#include "analyze/value_facts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analyze/test_facts.h"
#include "ranges/test_sketches.h"

namespace preon {
namespace {

double RawSkewness(const std::vector<float>& values) {
  double sum = 0, square = 0, cube = 0;
  for (const float x : values) sum += x;
  const double mean = sum / static_cast<double>(values.size());
  for (const float x : values) {
    square += (x - mean) * (x - mean);
    cube += (x - mean) * (x - mean) * (x - mean);
  }
  const double count = static_cast<double>(values.size());
  return cube / count / std::pow(square / count, 1.5);
}

TEST(ValueFacts, SkewnessIsThatOfTheRawValues) {
  for (const auto& [name, values] : test::ActivationLikeTensors()) {
    const double raw = RawSkewness(values);
    for (const SketchMode mode : {SketchMode::kExact, SketchMode::kSampled}) {
      // Cubes of a heavy tail rest on few values, of which the subset misses some.
      if (mode == SketchMode::kSampled && name == "heavy") continue;
      const double tolerance = (mode == SketchMode::kExact ? 0.005 : 0.1) * std::max(1.0, std::abs(raw));
      EXPECT_NEAR(Skewness(Distribution::Signed(test::SketchOf(values, mode))), raw, tolerance) << name;
    }
  }
}

TEST(ValueFacts, SkewnessOfAConstantIs0) {
  for (const float value : {0.0f, -3.5f, 1e-40f})
    EXPECT_EQ(test::FactsOf(test::SketchOf({value, value, value})).skewness, 0) << value;
}

TEST(ValueFacts, CountsZerosAndInfinities) {
  const float infinity = std::numeric_limits<float>::infinity();
  const ValueFacts facts = test::FactsOf(test::SketchOf({0, 0, 1, -2, infinity, -infinity, 0, 3}));
  EXPECT_EQ(facts.count, 8u);
  EXPECT_EQ(facts.infinities, 2u);
  EXPECT_EQ(facts.zero_share, 3.0 / 8);
  EXPECT_EQ(facts.min, -2);
  EXPECT_EQ(facts.max, 3);
}

TEST(ValueFacts, NoRatioWhereNearlyAllIsZero) {
  std::vector<float> values(1000);
  values[7] = 1;
  EXPECT_FALSE(test::FactsOf(test::SketchOf(values)).outlier_ratio.has_value());
  values[7] = 0;
  EXPECT_EQ(test::FactsOf(test::SketchOf(values)).outlier_ratio, 1);
}

TEST(ValueFacts, TypicalExtremesAreTheSamplesOwn) {
  TensorSketch sketch;
  for (const float largest : {1.0f, 2.0f, 30.0f}) sketch.Update(std::vector<float>{-largest / 2, largest});
  const ValueFacts facts = test::FactsOf(sketch);
  EXPECT_EQ(facts.max, 30);
  EXPECT_EQ(facts.mean_extremes.max, 11);
  EXPECT_NEAR(facts.median_extremes.max, 2, 0.02);
}

// 3 channels of 4 values: the second is constant, the third all 0.
const std::vector<float> kChannels = {1, 2, 3, 4, 5, 5, 5, 5, 0, 0, 0, 0};

TEST(ValueFacts, DeadChannelsByTheirExtremes) {
  TensorSketch sketch({.mode = SketchMode::kExact, .channels = 3});
  sketch.Update(kChannels.data(), {.channels = 3, .inner = 4});
  const auto dead = test::FactsOf(sketch).dead_channels;
  ASSERT_TRUE(dead.has_value());
  EXPECT_EQ(dead->dead, 2);
  EXPECT_EQ(dead->channels, 3);
}

TEST(ValueFacts, DeadChannelsByTheirMeansWhereNothingIsNegative) {
  TensorSketch sketch({.mode = SketchMode::kExact, .mean_channels = 3});
  sketch.Update(kChannels.data(), {.channels = 3, .inner = 4});
  EXPECT_EQ(test::FactsOf(sketch).dead_channels->dead, 1);
  std::vector<float> negative = kChannels;
  negative[0] = -1;
  sketch.Update(negative.data(), {.channels = 3, .inner = 4});
  EXPECT_FALSE(test::FactsOf(sketch).dead_channels.has_value());
  EXPECT_FALSE(test::FactsOf(test::SketchOf(kChannels)).dead_channels.has_value());
}

}  // namespace
}  // namespace preon
