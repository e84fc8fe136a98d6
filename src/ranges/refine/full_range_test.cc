#include "ranges/refine/full_range.h"

#include <gtest/gtest.h>

#include "ranges/test_sketches.h"

namespace preon {
namespace {

const RangeQuery kUnsignedQuery = {.format = {DataType::kUInt8, false}};

// Scores as a detector has them: all but a few far below zero.
TEST(FullRange, KeepsRarePeaks) {
  std::vector<float> values = test::Gaussian(20000);
  for (float& x : values) x -= 8;
  values[7] = 4;
  EXPECT_EQ(*FullRangeWhereFine(test::SketchOf(values), {-12, -1}, kUnsignedQuery),
            (Range{*std::ranges::min_element(values), 4}));
}

TEST(FullRange, NotAtThePriceOfEverythingElse) {
  std::vector<float> values = test::Gaussian(20000);
  values[7] = 1000;
  const TensorSketch sketch = test::SketchOf(values);
  EXPECT_EQ(*FullRangeWhereFine(sketch, {-4, 4}, kUnsignedQuery), (Range{-4, 4}));
  const RangeQuery int16 = {.format = {DataType::kInt16, false}};
  EXPECT_EQ(*FullRangeWhereFine(sketch, {-4, 4}, int16), (Range{sketch.min(), 1000}));
}

// 5 / 32767 is above its nearest power of two: that scale would end at 4.
TEST(FullRange, HoldsForPowersOfTwo) {
  const RangeQuery query = {.format = {DataType::kInt16, true}, .scale_type = ScaleType::kPowerOfTwo};
  const Range range = *FullRangeWhereFine(test::SketchOf({-1, 2, 5}), {-1, 2}, query);
  const QuantParams params = *ComputeQuantParams(range, query.format, query.scale_type);
  EXPECT_GE(RepresentableRange(params, query.format).max, 5);
}

// 34 of a scale that ends at 31.75: a step of 1/4 cuts off little of the largest value, one of 1/2 loses more
// everywhere.
TEST(FullRange, PowersOfTwoMayCutOffALittle) {
  const RangeQuery query = {.format = {DataType::kInt8, true}, .scale_type = ScaleType::kPowerOfTwo};
  const auto scale_with_peak = [&](float peak) {
    std::vector<float> values = test::Gaussian(20000);
    for (float& x : values) x *= 7;
    values[7] = peak;
    const Range range = *FullRangeWhereFine(test::SketchOf(values), {-4, 4}, query);
    return ComputeQuantParams(range, query.format, query.scale_type)->scale;
  };
  EXPECT_EQ(scale_with_peak(34), 0.25f);
  EXPECT_EQ(scale_with_peak(37), 0.5f);  // more than a tenth of it
}

// Where many values are cut off, the wider step loses less.
TEST(FullRange, PowersOfTwoKeepWhatIsCommon) {
  const RangeQuery query = {.format = {DataType::kInt8, true}, .scale_type = ScaleType::kPowerOfTwo};
  std::vector<float> values(20000);
  for (size_t index = 0; index < values.size(); ++index) values[index] = index % 2 == 0 ? 34.0f : -34.0f;
  const Range range = *FullRangeWhereFine(test::SketchOf(values), {-4, 4}, query);
  EXPECT_EQ(ComputeQuantParams(range, query.format, query.scale_type)->scale, 0.5f);
}

TEST(FullRange, FloatingTypesAndZerosKeepTheirs) {
  const RangeQuery floating = {.format = {DataType::kFloat8E4M3FN, true}};
  EXPECT_EQ(*FullRangeWhereFine(test::SketchOf({1, 2, 3}), {0, 2}, floating), (Range{0, 2}));
  EXPECT_EQ(*FullRangeWhereFine(test::SketchOf({0, 0}), {0, 1}, kUnsignedQuery), (Range{0, 1}));
}

}  // namespace
}  // namespace preon
