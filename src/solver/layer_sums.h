// LayerSums: all that reconstruction of a layer needs to know of the data.
#pragma once

#include <cstdint>
#include <vector>

#include "base/parallel.h"
#include "solver/matrix.h"

namespace preon {

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
  /// With means taken off (where there is a bias), per place: Σ (x - x̄)(x - x̄)ᵀ / places, [inputs, inputs]. 0 places:
  /// zeros.
  Matrix Covariance() const;
  /// Σ (x - x̄)(m - m̄)ᵀ / places, [inputs, outputs].
  Matrix CrossCovariance() const;
  /// Zeros without a bias.
  std::vector<double> InputMeans() const;
  std::vector<double> MissingMeans() const;

 private:
  bool with_bias_;
  int64_t places_ = 0;
  Matrix gram_;   // Σ x xᵀ, the upper triangle
  Matrix cross_;  // Σ x mᵀ
  std::vector<double> input_sums_, missing_sums_;
};

}  // namespace preon
