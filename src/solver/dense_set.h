// Inside solver/: the algebra of dense.h as it is compiled for one instruction set.
#pragma once

#include "solver/matrix.h"

namespace preon {

struct DenseSet {
  void (*add_product)(ConstMatrixView a, ConstMatrixView b, float sign, MatrixView c);
  void (*add_transposed_product)(ConstMatrixView a, ConstMatrixView b, float sign, MatrixView c);
  void (*add_scaled)(float factor, const float* from, float* to, size_t count);
  bool (*factor_upper)(MatrixView a);
  void (*solve_factored)(ConstMatrixView r, MatrixView b);
};

/// What every machine of the architecture has.
const DenseSet& BaseDenseSet();
/// AVX2 and FMA; null where the compiler does not know them.
const DenseSet* Avx2DenseSet();

}  // namespace preon
