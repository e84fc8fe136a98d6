// RoundCodes: codes that make a layer's quadratic form small.
#pragma once

#include "solver/code_problem.h"
#include "solver/sweep.h"

namespace preon {

struct RoundingSteps {
  bool sweep = true;         ///< GPTQ's; else descent starts from the nearest codes
  bool by_curvature = true;  ///< the sweep begins with inputs of largest curvature
  int descent_rounds = 8;    ///< at most; 0: no descent
};

/// What the steps need of the curvature, for all outputs; empty where they need nothing.
SweepOrder OrderFor(const Matrix& curvature, const RoundingSteps& steps);
/// Outputs that are best solved together: enough for products, and several parts for the threads.
constexpr size_t kPanelWidth = 64;
/// Codes [inputs, outputs]. With descent, the best of all allowed codes where there are at most kMaxExactInputs inputs.
/// @param order  OrderFor(problem.curvature, steps)
Matrix RoundCodes(const CodeProblem& problem, const RoundingSteps& steps, const SweepOrder& order);
/// scale · code - weights.
Matrix WeightChange(const Matrix& codes, const Matrix& weights, const CodeGrids& grids);

}  // namespace preon
