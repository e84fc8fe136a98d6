#include "formats/half_quadratic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "formats/nbits_search.h"

namespace preon {
namespace {

double ErrorOf(std::span<const float> values, const FloatGrid& grid, int bits) {
  double error = 0;
  for (const float value : values) {
    const double off = double{value} - double{grid.scale} * (CodeOnGrid(value, grid, bits) - double{grid.zero_point});
    error += off * off;
  }
  return error;
}

TEST(HalfQuadratic, IsNoWorseThanTheGridOfTheExtremes) {
  std::mt19937 random(7);
  std::student_t_distribution<float> tail(4);
  for (const int bits : {2, 4, 8}) {
    double ours = 0, theirs = 0;
    for (int block = 0; block < 200; ++block) {
      std::vector<float> values(32);
      for (float& value : values) value = tail(random) * (block % 2 == 0 ? 1 : 1e-5F);
      const double best = ErrorOf(values, HalfQuadraticGrid(values, bits), bits);
      const double extremes = GridError(values, MinMaxGrid(values, bits, false), bits);
      EXPECT_LE(best, extremes * 1.00001) << bits << " " << block;
      ours += best;
      theirs += extremes;
    }
    EXPECT_LT(ours, 0.99 * theirs) << bits;
    EXPECT_GT(ours, 0.3 * theirs) << bits;
  }
}

TEST(HalfQuadratic, BlocksOfOneValueAreExact) {
  for (const float value : {0.0F, 0.7F, -3e-6F, 1e30F, -2.5F}) {
    const std::vector<float> values(16, value);
    EXPECT_EQ(ErrorOf(values, HalfQuadraticGrid(values, 4), 4), 0) << value;
  }
}

TEST(HalfQuadratic, ValuesOfAllSizes) {
  for (const float size : {1e-38F, 1e-20F, 1.0F, 3e38F}) {
    const std::vector<float> values = {size, -size, size / 3, 0};
    const FloatGrid grid = HalfQuadraticGrid(values, 4);
    EXPECT_TRUE(std::isfinite(grid.scale) && grid.scale > 0 && std::isfinite(grid.zero_point)) << size;
    EXPECT_LE(std::sqrt(ErrorOf(values, grid, 4)), 2 * double{size}) << size;
    const FloatGrid quark = QuarkHalfQuadraticGrids(values, 4, 4)[0];
    EXPECT_TRUE(std::isfinite(quark.scale) && quark.scale > 0 && std::isfinite(quark.zero_point)) << size;
  }
}

// Stored runs: tests/differential/test_golden_matmul_nbits.py.
TEST(HalfQuadratic, BlocksOfQuarkStopTogether) {
  std::mt19937 random(7);
  std::student_t_distribution<float> tail(4);
  std::vector<float> values(48);
  for (float& value : values) value = tail(random);
  std::fill_n(values.begin() + 32, 16, 0.7F);
  const std::vector<FloatGrid> together = QuarkHalfQuadraticGrids(values, 16, 4);
  ASSERT_EQ(together.size(), 3U);
  EXPECT_EQ(ErrorOf(std::span(values).subspan(32), together[2], 4), 0);
  int differ = 0;
  for (size_t block = 0; block < 2; ++block) {
    const auto own = std::span(values).subspan(16 * block, 16);
    EXPECT_FLOAT_EQ(together[block].scale, HalfQuadraticGrid(own, 4).scale);
    differ += static_cast<int>(together[block].zero_point != QuarkHalfQuadraticGrids(own, 16, 4)[0].zero_point);
    EXPECT_LE(ErrorOf(own, HalfQuadraticGrid(own, 4), 4), ErrorOf(own, together[block], 4));
  }
  EXPECT_GE(differ, 1);
}

}  // namespace
}  // namespace preon
