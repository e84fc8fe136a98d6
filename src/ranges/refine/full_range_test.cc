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

TEST(FullRange, FloatingTypesAndZerosKeepTheirs) {
  const RangeQuery floating = {.format = {DataType::kFloat8E4M3FN, true}};
  EXPECT_EQ(*FullRangeWhereFine(test::SketchOf({1, 2, 3}), {0, 2}, floating), (Range{0, 2}));
  EXPECT_EQ(*FullRangeWhereFine(test::SketchOf({0, 0}), {0, 1}, kUnsignedQuery), (Range{0, 1}));
}

}  // namespace
}  // namespace preon
