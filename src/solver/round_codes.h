// RoundCodes: codes that make a layer's quadratic form small.
#pragma once

#include "base/parallel.h"
#include "solver/code_problem.h"

namespace preon {

struct RoundingSteps {
  bool sweep = true;         ///< GPTQ's; else descent starts from the nearest codes
  bool by_curvature = true;  ///< the sweep begins with inputs of largest curvature
  int descent_rounds = 8;    ///< at most; 0: no descent
};

/// Codes [inputs, outputs]. With descent, the best of all allowed codes where there are at most kMaxExactInputs inputs.
/// The same for any number of threads.
Matrix RoundCodes(const CodeProblem& problem, const RoundingSteps& steps, const ParallelFor& parallel_for);
/// The nearest codes of the weights.
Matrix NearestCodes(const Matrix& weights, const CodeGrids& grids);
/// scale · code - weights.
Matrix WeightChange(const Matrix& codes, const Matrix& weights, const CodeGrids& grids);

}  // namespace preon
