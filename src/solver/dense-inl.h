// Compiled once per instruction set: each includer names its copy of Eigen, so that no inline function of one set is
// linked into another.
#pragma once

#ifndef Eigen
#error "the includer defines Eigen as a name of its own"
#endif
#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "solver/dense_set.h"

namespace preon {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Strided = Eigen::OuterStride<>;
using Constant = Eigen::Map<const RowMajor, 0, Strided>;
using Changed = Eigen::Map<RowMajor, 0, Strided>;

Constant Of(ConstMatrixView view) {
  return {view.data, static_cast<Eigen::Index>(view.rows), static_cast<Eigen::Index>(view.columns),
          Strided(static_cast<Eigen::Index>(view.stride))};
}
Changed Of(MatrixView view) {
  return {view.data, static_cast<Eigen::Index>(view.rows), static_cast<Eigen::Index>(view.columns),
          Strided(static_cast<Eigen::Index>(view.stride))};
}

constexpr DenseSet kDenseSet = {
    .add_product = [](ConstMatrixView a, ConstMatrixView b, float sign,
                      MatrixView c) { Of(c).noalias() += sign * Of(a) * Of(b); },
    .add_transposed_product = [](ConstMatrixView a, ConstMatrixView b, float sign,
                                 MatrixView c) { Of(c).noalias() += sign * Of(a).transpose() * Of(b); },
    .add_scaled =
        [](float factor, const float* from, float* to, size_t count) {
          using Vector = Eigen::VectorXf;
          const auto size = static_cast<Eigen::Index>(count);
          Eigen::Map<Vector>(to, size) += factor * Eigen::Map<const Vector>(from, size);
        },
    .factor_upper =
        [](MatrixView a) {
          Changed in_place = Of(a);
          Eigen::LLT<Eigen::Ref<RowMajor, 0, Strided>, Eigen::Upper> factor(in_place);
          return factor.info() == Eigen::Success;
        },
    .solve_factored =
        [](ConstMatrixView r, MatrixView b) {
          Changed solution = Of(b);
          Of(r).transpose().triangularView<Eigen::Lower>().solveInPlace(solution);
          Of(r).triangularView<Eigen::Upper>().solveInPlace(solution);
        },
};

}  // namespace
}  // namespace preon
