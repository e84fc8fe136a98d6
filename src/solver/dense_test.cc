#include "solver/dense.h"

#include <gtest/gtest.h>

#include "solver/dense_set.h"
#include "solver/test_problems.h"

namespace preon {
namespace {

using test::RandomMatrix;

double ProductAt(const Matrix& a, const Matrix& b, size_t i, size_t j) {
  double sum = 0;
  for (size_t k = 0; k < a.columns(); ++k) sum += double{a.at(i, k)} * double{b.at(k, j)};
  return sum;
}

Matrix Transposed(const Matrix& a) {
  Matrix transposed(a.columns(), a.rows());
  for (size_t i = 0; i < a.rows(); ++i) {
    for (size_t j = 0; j < a.columns(); ++j) transposed.at(j, i) = a.at(i, j);
  }
  return transposed;
}

TEST(Dense, ProductsOfPartsAsByDefinition) {
  const Matrix a = RandomMatrix(37, 53, 1), b = RandomMatrix(53, 41, 2);
  Matrix c = RandomMatrix(60, 60, 3);
  const Matrix before = c;
  AddProduct(a.view(), b.view(), -1, c.view().Rows(5, 37).Columns(7, 41));
  for (size_t i = 0; i < 60; ++i) {
    for (size_t j = 0; j < 60; ++j) {
      const bool inside = i >= 5 && i < 42 && j >= 7 && j < 48;
      const double expected = double{before.at(i, j)} - (inside ? ProductAt(a, b, i - 5, j - 7) : 0);
      EXPECT_NEAR(c.at(i, j), expected, 1e-4) << i << " " << j;
    }
  }
}

TEST(Dense, GramMatrixAcrossTilesIsThatOfTheProduct) {
  const Matrix x = RandomMatrix(90, 300, 1), transposed = Transposed(x);
  Matrix g(300, 300), on_threads(300, 300);
  AddGram(x.view(), g.view(), {});
  AddGram(x.view(), on_threads.view(), OnThreads(3));
  MirrorUpper(g.view());
  MirrorUpper(on_threads.view());
  EXPECT_EQ(g.values(), on_threads.values());
  for (const auto& [i, j] : {std::pair{0, 0}, {0, 299}, {255, 256}, {256, 255}, {299, 1}, {280, 270}})
    EXPECT_NEAR(g.at(i, j), ProductAt(transposed, x, i, j), 1e-3);
}

TEST(Dense, FactoredSystemsAreSolved) {
  const Matrix x = RandomMatrix(200, 70, 1), solution = RandomMatrix(70, 9, 2);
  Matrix g(70, 70), right(70, 9);
  AddGram(x.view(), g.view(), {});
  MirrorUpper(g.view());
  AddProduct(g.view(), solution.view(), 1, right.view());
  ASSERT_TRUE(FactorUpper(g.view()));
  SolveFactored(g.view(), right.view());
  for (size_t i = 0; i < right.values().size(); ++i) EXPECT_NEAR(right.values()[i], solution.values()[i], 1e-4);
}

TEST(Dense, WhatIsNotPositiveDefiniteHasNoFactor) {
  Matrix g(2, 2);
  g.values() = {1, 2, 2, 1};
  EXPECT_FALSE(FactorUpper(g.view()));
}

TEST(Dense, EveryInstructionSetGivesTheSameButForRounding) {
#if defined(__x86_64__)
  if (Avx2DenseSet() == nullptr || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    GTEST_SKIP() << "this machine has no AVX2";
  const Matrix a = RandomMatrix(65, 130, 1), b = RandomMatrix(130, 33, 2);
  Matrix base(65, 33), avx2(65, 33);
  BaseDenseSet().add_product(a.view(), b.view(), 1, base.view());
  Avx2DenseSet()->add_product(a.view(), b.view(), 1, avx2.view());
  for (size_t i = 0; i < base.values().size(); ++i) EXPECT_NEAR(base.values()[i], avx2.values()[i], 1e-4);
#else
  GTEST_SKIP() << "one instruction set";
#endif
}

}  // namespace
}  // namespace preon
