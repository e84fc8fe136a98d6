#include <gtest/gtest.h>

#include "ranges/range_methods.h"

namespace preon {
namespace {

// Three samples, of which one reaches far.
TensorSketch ThreeSamples() {
  TensorSketch sketch;
  sketch.Update(std::vector<float>{-1, 2});
  sketch.Update(std::vector<float>{-2, 4});
  sketch.Update(std::vector<float>{-60, 30});
  return sketch;
}

Range ChooseSampleExtremes(const TensorSketch& sketch, const MethodOptions& options) {
  const auto method = MakeSampleExtremesMethod()->WithOptions(options);
  EXPECT_TRUE(method.ok());
  return *(*method)->Choose(sketch, {});
}

TEST(SampleExtremesMethod, MedianLeavesTheOddSampleOut) {
  const Range range = ChooseSampleExtremes(ThreeSamples(), {});
  EXPECT_NEAR(range.min, -2, 0.02);
  EXPECT_NEAR(range.max, 4, 0.04);
}

TEST(SampleExtremesMethod, MeanIsTheMeanOfTheSamples) {
  EXPECT_EQ(ChooseSampleExtremes(ThreeSamples(), {{"Statistic", "mean"}}), (Range{-21, 12}));
}

TEST(SampleExtremesMethod, RangeContainsZeroAndNothingBeyondTheValues) {
  TensorSketch sketch;
  sketch.Update(std::vector<float>{3.03f, 3.03f});
  EXPECT_EQ(ChooseSampleExtremes(sketch, {}), (Range{0, 3.03f}));
}

TEST(SampleExtremesMethod, OtherStatisticsAreErrors) {
  const auto method = MakeSampleExtremesMethod()->WithOptions({{"Statistic", "mode"}});
  EXPECT_EQ(method.status().id(), ErrorId::kBadOptionValue);
}

}  // namespace
}  // namespace preon
