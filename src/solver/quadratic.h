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
  Matrix optimum;    ///< [inputs, outputs]
};

/// @param weights  [inputs, outputs]: damping draws the optimum towards them
/// @param damping  of the mean of the curvature's diagonal
/// @param seen  another part of the data; the optimum leaves the weights only as far as it lessens the error there
/// @param ways  so many parts of the outputs, each with a distance of its own
Quadratic MakeQuadratic(const LayerSums& sums, const LayerSums& seen, const Matrix& weights, float damping,
                        size_t ways = 1);

/// Of each output, what `moved` (weights minus float weights, [inputs, outputs]) adds to the mean squared error, with
/// the bias that fits them best. Negative: less than float weights give.
std::vector<double> ErrorOf(const LayerSums& sums, const Matrix& moved);

/// Of each output, what to add to the bias: the mean of what is missing with weights that have moved so far.
std::vector<double> BiasFor(const LayerSums& sums, const Matrix& moved);

}  // namespace preon
