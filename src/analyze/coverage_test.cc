#include "analyze/coverage.h"

#include <gtest/gtest.h>

#include "analyze/method_ranges.h"
#include "analyze/picture.h"
#include "analyze/test_facts.h"
#include "ranges/range_methods.h"
#include "ranges/test_sketches.h"

namespace preon {
namespace {

using Values = std::vector<float>;

Shift ShiftOf(const Values& calibration, const Values& production, Range range) {
  const TensorSketch one = test::SketchOf(calibration), two = test::SketchOf(production);
  return ShiftBetween(test::FactsOf(one), Distribution::Signed(one), test::FactsOf(two), Distribution::Signed(two),
                      range);
}

TEST(Coverage, EachSideByItself) {
  const Coverage coverage = CoverageOf(test::FactsOf(test::SketchOf({-1, 3})), test::FactsOf(test::SketchOf({-4, 2})));
  EXPECT_EQ(coverage.max, 1.5);
  EXPECT_EQ(coverage.min, 0.25);
  EXPECT_EQ(coverage.worst(), 0.25);
}

TEST(Coverage, ASideThatProductionLacksNeedsNone) {
  const Coverage positive = CoverageOf(test::FactsOf(test::SketchOf({-1, 3})), test::FactsOf(test::SketchOf({0, 4})));
  EXPECT_FALSE(positive.min.has_value());
  EXPECT_EQ(positive.worst(), 0.75);
  const Coverage negative = CoverageOf(test::FactsOf(test::SketchOf({-1, 3})), test::FactsOf(test::SketchOf({-2, -1})));
  EXPECT_FALSE(negative.max.has_value());
  EXPECT_EQ(negative.worst(), 0.5);
  EXPECT_EQ(CoverageOf(test::FactsOf(test::SketchOf({1})), test::FactsOf(test::SketchOf({0}))).worst(), 1);
  // A side that calibration never saw is covered by nothing.
  EXPECT_EQ(CoverageOf(test::FactsOf(test::SketchOf({-3, -1})), test::FactsOf(test::SketchOf({-1, 2}))).max, 0);
}

TEST(Coverage, ClippedSharesAreOfTheRange) {
  const Shift shift = ShiftOf({0, 1, 2, 3}, {0, 1, 5, 5, -9, 2, 2, 2}, {0, 3});
  EXPECT_EQ(shift.clipped_calibration, 0);
  EXPECT_EQ(shift.clipped_production, 3.0 / 8);
  EXPECT_EQ(ShiftOf({0, 1, 2, 3}, {0}, {0, 2}).clipped_calibration, 0.25);
}

TEST(Coverage, ShiftIsInCalibrationsDeviations) {
  const Shift shift = ShiftOf({-1, 1}, {1, 5}, {-1, 1});
  EXPECT_NEAR(*shift.mean_shift, 3, 1e-6);
  EXPECT_NEAR(*shift.deviation_ratio, 2, 1e-6);
  EXPECT_FALSE(ShiftOf({2, 2}, {1, 5}, {0, 2}).mean_shift.has_value());
}

TEST(Coverage, Gaps) {
  EXPECT_FALSE((Shift{.coverage = {.max = 0.9}}.is_gap()));
  EXPECT_TRUE((Shift{.coverage = {.max = 2, .min = 0.89}}.is_gap()));
  EXPECT_TRUE((Shift{.clipped_calibration = 0.001, .clipped_production = 0.0021}.is_gap()));
  EXPECT_FALSE((Shift{.clipped_calibration = 0.002, .clipped_production = 0.003}.is_gap()));
  EXPECT_FALSE((Shift{.clipped_calibration = 0, .clipped_production = 0.0009}.is_gap()));
}

TEST(MethodRanges, ErrorIsThatOfTheRawValues) {
  const Values values = test::Gaussian(20000);
  const TensorSketch sketch = test::SketchOf(values);
  const IntFormat format;
  const MethodRange found = *RangeOf(*MakePercentileMethod(), sketch, Distribution::Signed(sketch), format);
  const QuantParams params = *ComputeQuantParams(found.range, format);
  double error = 0, square = 0, outside = 0;
  for (const float x : values) {
    const double restored = params.scale * static_cast<double>(EncodeValue(x, params, format) - params.zero_point);
    error += (x - restored) * (x - restored);
    square += static_cast<double>(x) * x;
    outside += x < found.range.min || x > found.range.max;
  }
  EXPECT_EQ(found.method, "percentile");
  EXPECT_NEAR(found.error, std::sqrt(error / square), 0.02 * found.error);
  EXPECT_NEAR(found.clipped, outside / 20000, 1e-4);
}

TEST(MethodRanges, AllZeroHasNoError) {
  const TensorSketch sketch = test::SketchOf({0, 0});
  EXPECT_EQ(RangeOf(*MakeMinMaxMethod(), sketch, Distribution::Signed(sketch), {})->error, 0);
}

TEST(Picture, SharesAreThoseOfTheBins) {
  const Picture picture = Draw(Distribution::Signed(test::SketchOf({-2, -1, 0, 0.5, 3.5, 3.9f, 4})), -2, 4, 6);
  EXPECT_EQ(picture.shares.size(), 6u);
  const double one = 1.0 / 7;
  const double want[] = {one, one, 2 * one, 0, 0, 3 * one};
  for (size_t bin = 0; bin < 6; ++bin) EXPECT_NEAR(picture.shares[bin], want[bin], 1e-9) << bin;
}

TEST(Picture, FinerThanTheBinsItSpreads) {
  const Distribution values = Distribution::Signed(test::SketchOf(test::Gaussian(100000), SketchMode::kSampled));
  double total = 0;
  for (const double share : Draw(values, -6, 6, 20000).shares) total += share;
  EXPECT_NEAR(total, 1, 1e-6);
}

}  // namespace
}  // namespace preon
