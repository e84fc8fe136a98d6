#include "solver/round_codes.h"

#include "solver/descent.h"
#include "solver/exact.h"
#include "solver/sweep.h"

namespace preon {

SweepOrder OrderFor(const Matrix& curvature, const RoundingSteps& steps) {
  return steps.sweep || curvature.rows() <= kMaxExactInputs ? MakeSweepOrder(curvature, steps.by_curvature)
                                                            : SweepOrder();
}

Matrix RoundCodes(const CodeProblem& problem, const RoundingSteps& steps, const SweepOrder& order) {
  CodePanel panel = MakePanel(problem);
  const bool factored = order.factor.rows() > 0;
  if (factored && steps.descent_rounds > 0 && panel.inputs() <= kMaxExactInputs) {
    SearchAll(order, panel);
    return std::move(panel.code);
  }
  if (factored && steps.sweep) Sweep(order, panel);
  if (steps.descent_rounds > 0) Descend(problem.curvature, steps.descent_rounds, panel);
  return std::move(panel.code);
}

Matrix WeightChange(const Matrix& codes, const Matrix& weights, const CodeGrids& grids) {
  Matrix moved(codes.rows(), codes.columns());
  for (size_t i = 0; i < codes.rows(); ++i) {
    for (size_t j = 0; j < codes.columns(); ++j)
      moved.at(i, j) = grids.at(i, j).scale * codes.at(i, j) - weights.at(i, j);
  }
  return moved;
}

}  // namespace preon
