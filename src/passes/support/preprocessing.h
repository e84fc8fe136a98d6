// Preprocessing: which stages of Quark's preprocessing run, by its keys.
#pragma once

#include <optional>

#include "passes/support/arithmetic.h"

namespace preon {

struct Preprocessing {
  bool simplify = true;          ///< SimplifyModel: a simplifier rewrites the graph …
  std::optional<bool> optimize;  ///< OptimizeModel: … then the runtime's basic optimization does; default: true
  std::optional<bool> fold_batch_norm;  ///< FoldBatchNorm; default: Optimizes()
  bool fuse_layer_norm = true;          ///< FuseLayerNorm
  bool fuse_gelu = true;                ///< FuseGelu
  bool skip = false;                    ///< SkipPreprocess: none of them

  bool Optimizes() const { return optimize.value_or(true); }
  bool FoldsBatchNorm() const { return fold_batch_norm.value_or(Optimizes()); }
  bool operator==(const Preprocessing&) const = default;
};

/// How Quark 0.13 computes a BatchNormalization's factors. Without the simplifier its own pass folds one behind a
/// ConvTranspose, and has an epsilon of its own where there is none.
inline Arithmetic ArithmeticOf(bool simplify) {
  Arithmetic arithmetic = kQuarkArithmetic;
  if (!simplify) arithmetic.missing_epsilon_transposed = arithmetic.missing_epsilon;
  return arithmetic;
}

}  // namespace preon
