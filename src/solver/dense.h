// Dense algebra over Eigen, for the instruction set of this machine. On one thread; whoever has more splits the work in
// parts that do not depend on their number.
#pragma once

#include "base/parallel.h"
#include "solver/matrix.h"

namespace preon {

/// Calls `some` for parts of so many columns, possibly at once; the parts do not depend on the number of threads.
void ForColumns(size_t columns, const ParallelFor& parallel_for,
                const std::function<void(size_t first, size_t count)>& some);
/// c += sign · a · b. Shapes: [m, k], [k, n], [m, n].
void AddProduct(ConstMatrixView a, ConstMatrixView b, float sign, MatrixView c);
/// c += sign · aᵀ · b. Shapes: [k, m], [k, n], [m, n].
void AddTransposedProduct(ConstMatrixView a, ConstMatrixView b, float sign, MatrixView c);
/// to += factor · from.
void AddScaled(float factor, std::span<const float> from, std::span<float> to);
/// g += xᵀ · x in the upper triangle and, in tiles, a little below it. Shapes: [p, k], [k, k].
void AddGram(ConstMatrixView x, MatrixView g, const ParallelFor& parallel_for);
/// The part below the diagonal becomes that above it.
void MirrorUpper(MatrixView g);
/// The upper triangle of a becomes R of a = Rᵀ · R; what is below stays. False: a is not positive definite.
bool FactorUpper(MatrixView a);
/// b becomes R⁻¹ · R⁻ᵀ · b: the solution of a · x = b.
void SolveFactored(ConstMatrixView r, MatrixView b);

}  // namespace preon
