#include "algorithms/rotation.h"

#include <gtest/gtest.h>

#include <cmath>

namespace preon {
namespace {

// Row i of the matrix is what it makes of the i-th unit vector.
std::vector<std::vector<double>> RowsOf(const Rotation& rotation) {
  std::vector<std::vector<double>> rows(rotation.size(), std::vector<double>(rotation.size()));
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i][i] = 1;
    rotation.Apply(rows[i]);
  }
  return rows;
}

double Product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

TEST(Rotation, RowsAreOrthogonal) {
  for (const int64_t size : {1, 2, 8, 12, 20, 24, 28, 36, 40, 48, 60, 96, 108, 144}) {
    for (const RotationKind kind : {RotationKind::kHadamard, RotationKind::kRandom, RotationKind::kKeepsMeans}) {
      const std::optional<Rotation> rotation = Rotation::Make(size, kind);
      ASSERT_TRUE(rotation) << size;
      const auto rows = RowsOf(*rotation);
      for (size_t i = 0; i < rows.size(); ++i) {
        for (size_t j = 0; j < rows.size(); ++j)
          ASSERT_NEAR(Product(rows[i], rows[j]), i == j ? 1 : 0, 1e-12) << size << " " << i << " " << j;
      }
    }
  }
}

TEST(Rotation, AllEntriesOfAHadamardMatrixAreOfOneSize) {
  for (const int64_t size : {16, 20, 36, 384}) {
    for (const auto& row : RowsOf(*Rotation::Make(size, RotationKind::kHadamard))) {
      for (const double entry : row) ASSERT_NEAR(std::abs(entry), 1 / std::sqrt(static_cast<double>(size)), 1e-12);
    }
  }
}

TEST(Rotation, MeansStayWhereTheyShall) {
  for (const int64_t size : {16, 20, 384}) {
    const Rotation rotation = *Rotation::Make(size, RotationKind::kKeepsMeans);
    std::vector<double> ones(rotation.size(), 1), peak(rotation.size());
    rotation.Apply(ones);
    for (const double value : ones) EXPECT_NEAR(value, 1, 1e-12);
    peak[3] = 1;  // which spreads
    rotation.Apply(peak);
    EXPECT_NEAR(Product(peak, std::vector<double>(rotation.size(), 1)), 1, 1e-12);
    for (const double value : peak) EXPECT_LT(std::abs(value), 1);
  }
}

TEST(Rotation, SizesWithoutAMatrixAreTold) {
  for (const int64_t size : {0, 3, 6, 14, 22, 30}) EXPECT_FALSE(Rotation::Make(size, RotationKind::kHadamard)) << size;
}

}  // namespace
}  // namespace preon
