// LayerSums: what codes of a layer are fitted to, and JudgingSums: what judges them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/parallel.h"
#include "solver/matrix.h"

namespace preon {

/// Per place, of what a layer reads and of what is missing; zeros for a layer without a bias.
struct LayerMeans {
  std::vector<double> inputs, missing;
};

/// Sums over places, which are rows of what a linear layer reads (of a convolution: patches). `missing` is what the
/// float weights and bias, applied to these inputs, lack to the targets: sums of the targets themselves would lose the
/// few digits in which 8-bit weights differ.
class LayerSums {
 public:
  /// @param with_bias  a bias takes up the means; without one they count as errors
  LayerSums(size_t inputs, size_t outputs, bool with_bias = true);

  /// @param inputs  [places, inputs]
  /// @param missing  [places, outputs]
  void Add(ConstMatrixView inputs, ConstMatrixView missing, const ParallelFor& parallel_for);
  int64_t places() const { return places_; }

  /// Call once, after the last Add. With means taken off (where there is a bias), per place:
  struct Moments {
    Matrix covariance;  ///< Σ (x - x̄)(x - x̄)ᵀ / places, [inputs, inputs]. 0 places: zeros
    Matrix cross;       ///< Σ (x - x̄)(m - m̄)ᵀ / places, [inputs, outputs]
    LayerMeans means;
  };
  Moments Take() &&;

 private:
  bool with_bias_;
  int64_t places_ = 0;
  Matrix gram_;   // Σ x xᵀ, the upper triangle
  Matrix cross_;  // Σ x mᵀ
  LayerMeans sums_;
};

/// The error of weights that have moved by d from the float ones is dᵀAd - 2dᵀc + what no weights change. Of fewer
/// places than inputs the rows are kept: they are smaller than their sums, and cheaper to evaluate.
class JudgingSums {
 public:
  /// @param places  that will be added in all, no more and no fewer
  JudgingSums(size_t inputs, size_t outputs, bool with_bias, size_t places);

  void Add(ConstMatrixView inputs, ConstMatrixView missing, const ParallelFor& parallel_for);
  /// Call once, after the last Add.
  void Finish();

  struct Parts {
    double curved = 0;  ///< dᵀAd
    double wanted = 0;  ///< dᵀc
    double Error() const { return curved - 2 * wanted; }
  };
  /// After Finish. @param moved  [inputs, columns]  @param outputs  which output each column is of
  std::vector<Parts> PartsOf(const Matrix& moved, const std::vector<size_t>& outputs) const;

 private:
  bool keeps_rows_, with_bias_;
  LayerSums sums_;
  LayerSums::Moments moments_;
  Matrix inputs_, missing_;  // rows, or nothing
  size_t places_ = 0;        // of the rows so far
};

}  // namespace preon
