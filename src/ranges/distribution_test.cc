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

// The 254 finite values of float8e4m3fn have a standard deviation of 100.0577 (numpy.std over their codes), the largest
// is 448; the 248 of float8e5m2 9535.29 and 57344.
TEST(DistributionMethod, Float8ScalesDivideDeviations) {
  std::vector<float> values = test::Gaussian(200000);
  for (float& x : values) x *= 3;
  const Range range = ChooseDistribution(values, DataType::kFloat8E4M3FN);
  EXPECT_NEAR(range.max / 448, 3 / 100.0577, 3e-4);
  EXPECT_EQ(range.min, -range.max);
  EXPECT_NEAR(ChooseDistribution(values, DataType::kFloat8E5M2).max / 57344, 3 / 9535.29, 1e-5);
  EXPECT_EQ(ChooseDistribution({2, 2, 2}, DataType::kFloat8E4M3FN), (Range{0, 2})) << "no deviation";
  EXPECT_EQ(MakeDistributionMethod()->Choose(test::SketchOf(values), {{DataType::kFloat16}}).status().id(),
            ErrorId::kConflictingOptions);
}

TEST(DistributionMethod, ScenarioP3TakesCubeRoots) {
  const std::vector<float> values = Laplace(200000);
  double sum = 0, squares = 0;
  for (const double x : values) {
    sum += std::cbrt(x);
    squares += std::cbrt(x) * std::cbrt(x);
  }
  const auto count = static_cast<double>(values.size());
  const double deviation = std::sqrt(squares / count - sum / count * sum / count);
  const auto p3 = *MakeDistributionMethod()->WithOptions({{"Scenario", "p3"}});
  const Range range = *p3->Choose(test::SketchOf(values), {{DataType::kFloat8E4M3FN}});
  EXPECT_NEAR(range.max / 448 * 100.0577, deviation, 2e-3 * deviation);
}

TEST(DistributionMethod, Scenario) {
  EXPECT_TRUE(MakeDistributionMethod()->WithOptions({{"Scenario", "same"}}).ok());
  const auto p3 = MakeDistributionMethod()->WithOptions({{"Scenario", "p3"}});
  EXPECT_TRUE((*p3)->CheckType(DataType::kFloat8E4M3FN).ok());
  EXPECT_EQ((*p3)->CheckType(DataType::kInt8).id(), ErrorId::kConflictingOptions);
  EXPECT_TRUE((*MakeDistributionMethod()->WithOptions({}))->CheckType(DataType::kInt8).ok());
  EXPECT_EQ(MakeDistributionMethod()->WithOptions({{"Scenario", "x"}}).status().id(), ErrorId::kBadOptionValue);
}

}  // namespace
}  // namespace preon
