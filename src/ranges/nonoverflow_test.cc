#include <gtest/gtest.h>

#include "ranges/range_methods.h"
#include "ranges/test_sketches.h"

namespace preon {
namespace {

Range ChooseNonOverflow(const std::vector<float>& values, const RangeQuery& query = {},
                        const MethodOptions& options = {}) {
  return *(*MakeNonOverflowMethod()->WithOptions(options))->Choose(test::SketchOf(values), query);
}

TEST(NonOverflow, TheExtremesToBothSidesOfZero) {
  EXPECT_EQ(ChooseNonOverflow({-1.5f, 0.25f, 3.75f}), (Range{-3.75f, 3.75f}));
  EXPECT_EQ(ChooseNonOverflow({2, 3}, {}, {{"symmetric", "false"}}), (Range{0, 3}));
}

// The scales of max = 3 and 5 are 0.0236 and 0.0394, nearest powers 1/32 (above) and 1/32 (below, 4 of 5 are covered).
TEST(NonOverflow, ThePowerOfTwoCoversTheRange) {
  for (float largest : {3.0f, 5.0f}) {
    for (const IntFormat& format : {IntFormat{DataType::kInt8, true}, IntFormat{DataType::kUInt8}}) {
      const Range range = ChooseNonOverflow({-1, largest}, {format, ScaleType::kPowerOfTwo});
      const QuantParams params = *ComputeQuantParams(range, format, ScaleType::kPowerOfTwo);
      EXPECT_GE(RepresentableRange(params, format).max, 0.99f * largest);
      EXPECT_LE(RepresentableRange(params, format).max, 2 * largest);
    }
  }
  const IntFormat format{DataType::kInt8, true};
  EXPECT_EQ(ComputeQuantParams(ChooseNonOverflow({5}, {format, ScaleType::kPowerOfTwo}), format, ScaleType::kPowerOfTwo)
                ->scale,
            0.0625f);
  EXPECT_EQ(ComputeQuantParams(ChooseNonOverflow({3}, {format, ScaleType::kPowerOfTwo}), format, ScaleType::kPowerOfTwo)
                ->scale,
            0.03125f);
}

}  // namespace
}  // namespace preon
