#include <gtest/gtest.h>

#include "ranges/range_methods.h"
#include "ranges/test_sketches.h"

namespace preon {
namespace {

Range ChooseDistribution(const std::vector<float>& values, DataType type) {
  return *MakeDistributionMethod()->Choose(test::SketchOf(values), {{type}});
}

/// Difference of two exponentials; its standard deviation is sqrt(2).
std::vector<float> Laplace(size_t count) {
  std::mt19937 random(3);
  std::exponential_distribution<float> exponential;
  std::vector<float> values(count);
  for (float& x : values) x = exponential(random) - exponential(random);
  return values;
}

// Clips of ACIQ's table: 2.55 σ and 3.92 σ for a Gaussian, 5.03 b and 9.89 b for a Laplace distribution.
TEST(DistributionMethod, ClipsOfTheFit) {
  std::vector<float> gaussian = test::Gaussian(200000);
  EXPECT_NEAR(ChooseDistribution(gaussian, DataType::kInt4).max, 2.55, 0.02);
  EXPECT_NEAR(ChooseDistribution(gaussian, DataType::kInt8).min, -3.92, 0.02);
  for (float& x : gaussian) x += 2;
  EXPECT_NEAR(ChooseDistribution(gaussian, DataType::kInt4).max, 4.55, 0.02) << "about the mean";
  EXPECT_NEAR(ChooseDistribution(Laplace(200000), DataType::kInt4).max, 5.03, 0.05);
  EXPECT_NEAR(ChooseDistribution(Laplace(200000), DataType::kInt8).max, 9.89, 0.1);
}

TEST(DistributionMethod, StaysInsideWhatWasObserved) {
  std::vector<float> values = test::Gaussian(10000);
  for (float& x : values) x = std::clamp(x, -1.0f, 2.0f);
  EXPECT_EQ(ChooseDistribution(values, DataType::kUInt8), (Range{-1, 2}));
}

TEST(DistributionMethod, Scenario) {
  EXPECT_TRUE(MakeDistributionMethod()->WithOptions({{"Scenario", "same"}}).ok());
  EXPECT_EQ(MakeDistributionMethod()->WithOptions({{"Scenario", "p3"}}).status().id(), ErrorId::kNotYetSupported);
  EXPECT_EQ(MakeDistributionMethod()->WithOptions({{"Scenario", "x"}}).status().id(), ErrorId::kBadOptionValue);
}

}  // namespace
}  // namespace preon
