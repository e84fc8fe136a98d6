#include "ranges/optimal_clip.h"

#include <gtest/gtest.h>

#include <cmath>

namespace preon {
namespace {

struct Row {
  double codes, gaussian, laplace;
};

// ACIQ (Banner et al. 2019): α*/σ of a Gaussian and α*/b of a Laplace distribution for 2 to 8 bits, cut to two
// decimals.
TEST(OptimalClip, PublishedValues) {
  for (const Row& row : {Row{4, 1.71, 2.83}, Row{8, 2.15, 3.89}, Row{16, 2.55, 5.03}, Row{32, 2.93, 6.20},
                         Row{64, 3.28, 7.41}, Row{128, 3.61, 8.64}, Row{256, 3.92, 9.89}}) {
    EXPECT_NEAR(OptimalGaussianClip(row.codes), row.gaussian, 0.01) << row.codes;
    EXPECT_NEAR(OptimalLaplaceClip(row.codes) * std::sqrt(2.0), row.laplace, 0.01) << row.codes;
  }
}

TEST(OptimalClip, OfManyCodes) {
  double smaller = 0;
  for (double codes : {2.0, 15.0, 255.0, 65535.0, 4294967296.0}) {
    EXPECT_GT(OptimalGaussianClip(codes), smaller);
    EXPECT_GT(OptimalLaplaceClip(codes), OptimalGaussianClip(codes)) << "its tails are heavier";
    smaller = OptimalGaussianClip(codes);
  }
}

}  // namespace
}  // namespace preon
