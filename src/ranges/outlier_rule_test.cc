#include "ranges/outlier_rule.h"

#include <gtest/gtest.h>

#include <limits>

#include "ranges/test_sketches.h"

namespace preon {
namespace {

double RatioOf(const std::vector<float>& values) {
  return OutlierRatio(Distribution::Absolute(test::SketchOf(values)));
}

TEST(OutlierRule, RatioIsTheLargestOverThe99thPercentile) {
  std::vector<float> values = test::Gaussian(10000);
  values[17] = -40;
  std::vector<float> magnitudes(values.size());
  std::transform(values.begin(), values.end(), magnitudes.begin(), [](float x) { return std::abs(x); });
  std::sort(magnitudes.begin(), magnitudes.end());
  EXPECT_NEAR(RatioOf(values), 40 / test::ExactQuantile(magnitudes, 0.99), 0.2);
}

TEST(OutlierRule, WithoutA99thPercentile) {
  EXPECT_EQ(RatioOf({0, 0, 0}), 1);
  EXPECT_EQ(RatioOf({-5}), 1);
  std::vector<float> values(1000);
  values[3] = 2;
  EXPECT_EQ(RatioOf(values), std::numeric_limits<double>::infinity());
}

TEST(OutlierRule, Classes) {
  EXPECT_EQ(ClassifyOutliers(1), Outliers::kNone);
  EXPECT_EQ(ClassifyOutliers(3), Outliers::kNone);
  EXPECT_EQ(ClassifyOutliers(3.01), Outliers::kFew);
  EXPECT_EQ(ClassifyOutliers(10), Outliers::kFew);
  EXPECT_EQ(ClassifyOutliers(10.01), Outliers::kMany);
  EXPECT_EQ(ClassifyOutliers(std::numeric_limits<double>::infinity()), Outliers::kMany);
}

}  // namespace
}  // namespace preon
