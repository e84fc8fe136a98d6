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
  Matrix way;        ///< [inputs, outputs], from the float weights to the optimum
};

/// @param damping  of the mean of the curvature's diagonal
/// @param seen  other data; the optimum leaves the weights only as far as it lessens the error there
/// @param parts  so many parts of the outputs, which follow each other, each have a distance of their own
Quadratic MakeQuadratic(Matrix covariance, Matrix cross, const JudgingSums& seen, float damping, size_t parts,
                        const ParallelFor& parallel_for);

/// Of some outputs, what to add to the bias: the mean of what is missing with weights that have moved so far.
std::vector<double> BiasFor(const LayerMeans& means, const Matrix& moved, const std::vector<size_t>& outputs);

}  // namespace preon
