#include "ranges/square_error.h"

#include <gtest/gtest.h>

#include "ranges/test_sketches.h"

namespace preon {
namespace {

TEST(SquareError, IsTheExpectedError) {
  for (const auto& [name, values] : test::ActivationLikeTensors(20000)) {
    for (SketchMode mode : {SketchMode::kExact, SketchMode::kSampled}) {
      const TensorSketch sketch = test::SketchOf(values, mode);
      const Distribution distribution = Distribution::Signed(sketch);
      const SquareError square_error(distribution);
      const double largest = std::max(-sketch.min(), sketch.max());
      for (const IntFormat& format :
           {IntFormat{DataType::kUInt8}, IntFormat{DataType::kInt8, true}, IntFormat{DataType::kUInt4},
            IntFormat{DataType::kInt4, true}, IntFormat{DataType::kInt8, false, true}}) {
        for (float share : {2.0f, 1.0f, 0.3f, 0.01f}) {
          const QuantParams params = *ComputeQuantParams({share * sketch.min(), share * sketch.max()}, format);
          const double wanted = ExpectedQuantizationError(distribution, params, format, ErrorMetric::kMeanSquare);
          EXPECT_NEAR(square_error.Of(params, format), wanted, 1e-8 * wanted + 4e-15 * largest * largest)
              << name << ' ' << share;
        }
      }
    }
  }
}

// Where values are spread over many steps; "levels" are points, most of which 16 bits hit exactly.
TEST(SquareError, EstimateIsCloseWith16Bits) {
  for (const auto& [name, values] : test::ActivationLikeTensors(20000)) {
    if (name == "levels") continue;
    const TensorSketch sketch = test::SketchOf(values);
    const Distribution distribution = Distribution::Signed(sketch);
    for (const IntFormat& format : {IntFormat{DataType::kUInt16}, IntFormat{DataType::kInt16, true}}) {
      for (float share : {1.0f, 0.3f}) {
        const QuantParams params = *ComputeQuantParams({share * sketch.min(), share * sketch.max()}, format);
        const double wanted = ExpectedQuantizationError(distribution, params, format, ErrorMetric::kMeanSquare);
        EXPECT_NEAR(SquareError(distribution).Estimate(params, format), wanted, 0.02 * wanted) << name << ' ' << share;
      }
    }
  }
}

TEST(SquareError, PointsAndNothing) {
  const IntFormat format{DataType::kUInt8};
  EXPECT_EQ(SquareError(Distribution::Signed(TensorSketch())).Of({}, format), 0);
  EXPECT_EQ(SquareError(Distribution::Signed(test::SketchOf({0, 0}))).Of({}, format), 0);
  EXPECT_NEAR(SquareError(Distribution::Signed(test::SketchOf({0.7f}))).Of({0.5f, 0}, format), 0.04, 1e-7);
  // 0.7 -> 0.5, 300 -> 127.5, 0 -> 0, -2 -> 0.
  EXPECT_NEAR(SquareError(Distribution::Signed(test::SketchOf({0.7f, 300, 0, -2}))).Of({0.5f, 0}, format),
              (0.04 + 172.5 * 172.5 + 4) / 4, 1e-6);
}

}  // namespace
}  // namespace preon
