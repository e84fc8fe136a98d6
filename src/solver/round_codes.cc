#include "solver/round_codes.h"

#include <algorithm>

#include "solver/descent.h"
#include "solver/exact.h"
#include "solver/sweep.h"

namespace preon {
namespace {

// Outputs that are solved together: enough for products, in any case several panels for the threads.
size_t PanelWidth(size_t outputs) { return outputs >= 1024 ? 256 : 64; }

void SolvePanel(const CodeProblem& problem, const RoundingSteps& steps, const SweepOrder& order, CodePanel& panel) {
  const bool factored = order.factor.rows() > 0;
  if (factored && steps.descent_rounds > 0 && panel.inputs() <= kMaxExactInputs) return SearchAll(order, panel);
  if (factored && steps.sweep) Sweep(order, panel);
  if (steps.descent_rounds > 0) Descend(problem.curvature, steps.descent_rounds, panel);
}

}  // namespace

Matrix RoundCodes(const CodeProblem& problem, const RoundingSteps& steps, const ParallelFor& parallel_for) {
  const size_t outputs = problem.weights.columns(), width = PanelWidth(outputs);
  Matrix codes(problem.weights.rows(), outputs);
  const bool factors = steps.sweep || problem.weights.rows() <= kMaxExactInputs;
  const SweepOrder order = factors ? MakeSweepOrder(problem.curvature, steps.by_curvature) : SweepOrder();
  parallel_for((outputs + width - 1) / width, [&](size_t task) {
    const size_t first = task * width, count = std::min(width, outputs - first);
    CodePanel panel = MakePanel(problem, first, count);
    SolvePanel(problem, steps, order, panel);
    for (size_t i = 0; i < codes.rows(); ++i) std::copy_n(panel.code.row(i), count, codes.row(i) + first);
  });
  return codes;
}

Matrix NearestCodes(const Matrix& weights, const CodeGrids& grids) {
  Matrix codes(weights.rows(), weights.columns());
  for (size_t i = 0; i < codes.rows(); ++i) {
    for (size_t j = 0; j < codes.columns(); ++j) {
      const CodeGrid& grid = grids.at(i, j);
      codes.at(i, j) = NearestInteger(std::clamp(weights.at(i, j) / grid.scale, grid.least, grid.most));
    }
  }
  return codes;
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
