// Quadratic: the mean squared error of a linear layer as a function of its weights.
#pragma once

#include <vector>

#include "solver/layer_sums.h"

namespace preon {

/// For each output: (v - optimum)ᵀ · curvature · (v - optimum) + what no weights change, where the bias follows the
/// weights (Σ of errors is 0). Source: Nagel et al. 2020, "Up or Down?", equations 13 to 15, with all of a layer's
/// error instead of that of its rounding.
struct Quadratic {
  Matrix curvature;  ///< [inputs, inputs], damped
  Matrix step;       ///< [inputs, outputs], from the float weights to the optimum
};

/// Makes products of different inputs smaller by this share. They are what few rows tell least of, and codes that make
/// up for each other trust them. Source: Ledoit and Wolf 2004, "A well-conditioned estimator for large-dimensional
/// covariance matrices", with a fixed share, towards the diagonal.
void Shrink(Matrix& covariance, float share);

/// @param covariance, cross  LayerSums::Moments, [inputs, inputs] and [inputs, outputs]
/// @param seen  other data, finished; the step goes only as far as it lessens the error there
/// @param damping  of the mean of the curvature's diagonal, added to it
/// @param parts  so many parts of the outputs, one after the other, each have a share of the step of their own
/// The step is 0 where nothing is missing, and where even the damped curvature is not positive definite.
Quadratic MakeQuadratic(Matrix covariance, Matrix cross, const JudgingSums& seen, float damping, size_t parts,
                        const ParallelFor& parallel_for);

/// Of some outputs, what to add to the bias: the mean of what is missing with weights that have moved so far.
std::vector<double> BiasFor(const LayerMeans& means, const Matrix& moved, const std::vector<size_t>& outputs);

}  // namespace preon
