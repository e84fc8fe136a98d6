#include "search/output_distance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace preon {
namespace {

using testing::DoubleNear;

TEST(OutputDistance, IsWhatQuarkMeasures) {
  const std::vector<float> reference = {3, 4, 0, 1}, quantized = {3, 4, 2, 1};
  EXPECT_THAT(DistanceOf(OutputDistance::kL2, reference, quantized), DoubleNear(2, 1e-12));
  EXPECT_THAT(DistanceOf(OutputDistance::kCosine, reference, quantized), DoubleNear(1 - 26 / std::sqrt(26 * 30), 1e-9));
  EXPECT_THAT(DistanceOf(OutputDistance::kSqnr, reference, quantized), DoubleNear(-10 * std::log10(26.0 / 4), 1e-9));
  EXPECT_THAT(DistanceOf(OutputDistance::kPsnr, reference, quantized), DoubleNear(-20 * std::log10(4.0), 1e-9));
  // Shifted by their least values: {3, 4, 0, 1} / 8 and {2, 3, 1, 0} / 6.
  const double divergence = 3.0 / 8 * std::log(9.0 / 8) + 4.0 / 8 * std::log(1.0) + 1.0 / 8 * std::log(1 / 8.0 / 1e-10);
  EXPECT_THAT(DistanceOf(OutputDistance::kKl, reference, quantized), DoubleNear(divergence, 1e-7));
}

TEST(OutputDistance, WithoutSignalOrNoise) {
  const std::vector<float> zeros = {0, 0}, ones = {1, 1};
  EXPECT_EQ(DistanceOf(OutputDistance::kCosine, zeros, ones), 0);
  EXPECT_EQ(DistanceOf(OutputDistance::kL2, ones, ones), 0);
  EXPECT_THAT(DistanceOf(OutputDistance::kSqnr, ones, ones), DoubleNear(-100, 1e-9));
  EXPECT_EQ(DistanceOf(OutputDistance::kKl, ones, zeros), 0);  // both say the same of all elements
}

}  // namespace
}  // namespace preon
