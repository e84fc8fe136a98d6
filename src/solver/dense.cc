#include "solver/dense.h"

#include <algorithm>

#include "solver/dense_set.h"

namespace preon {
namespace {

// Tiles of a Gram matrix: large enough for the product's own blocks, small enough to share out.
constexpr size_t kTile = 256;

const DenseSet& Dense() {
  static const DenseSet& set = []() -> const DenseSet& {
#if defined(__x86_64__)
    const DenseSet* avx2 = Avx2DenseSet();
    if (avx2 != nullptr && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return *avx2;
#endif
    return BaseDenseSet();
  }();
  return set;
}

}  // namespace

void ForColumns(size_t columns, const ParallelFor& parallel_for,
                const std::function<void(size_t first, size_t count)>& some) {
  parallel_for((columns + kTile - 1) / kTile, [&](size_t task) {
    const size_t first = task * kTile;
    some(first, std::min(kTile, columns - first));
  });
}

void AddProduct(ConstMatrixView a, ConstMatrixView b, float sign, MatrixView c) { Dense().add_product(a, b, sign, c); }

void AddTransposedProduct(ConstMatrixView a, ConstMatrixView b, float sign, MatrixView c) {
  Dense().add_transposed_product(a, b, sign, c);
}

void AddScaled(float factor, std::span<const float> from, std::span<float> to) {
  Dense().add_scaled(factor, from.data(), to.data(), to.size());
}

void AddGram(ConstMatrixView x, MatrixView g, const ParallelFor& parallel_for) {
  const size_t tiles = (x.columns + kTile - 1) / kTile;
  parallel_for(tiles * (tiles + 1) / 2, [&](size_t task) {
    size_t row = 0;
    for (size_t in_row = tiles; task >= in_row; task -= in_row--) ++row;
    const size_t top = row * kTile, left = (row + task) * kTile;
    const size_t height = std::min(kTile, x.columns - top), width = std::min(kTile, x.columns - left);
    AddTransposedProduct(x.Columns(top, height), x.Columns(left, width), 1, g.Rows(top, height).Columns(left, width));
  });
}

void MirrorUpper(MatrixView g) {
  for (size_t i = 0; i < g.rows; ++i) {
    for (size_t j = 0; j < i; ++j) g.row(i)[j] = g.row(j)[i];
  }
}

bool FactorUpper(MatrixView a) { return Dense().factor_upper(a); }

void SolveFactored(ConstMatrixView r, MatrixView b) { Dense().solve_factored(r, b); }

}  // namespace preon
