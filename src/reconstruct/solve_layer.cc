#include "reconstruct/solve_layer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solver/dense.h"
#include "solver/quadratic.h"
#include "solver/round_codes.h"

namespace preon {
namespace {

// Codes and bias of one group; each output in all ways: [inputs, ways · outputs].
struct Attempt {
  Matrix codes;
  Matrix moved;              // what they are more than the float weights
  std::vector<double> bias;  // zeros where it is among the codes
};

Matrix Repeated(const Matrix& matrix, size_t ways) {
  Matrix repeated(matrix.rows(), ways * matrix.columns());
  for (size_t i = 0; i < repeated.rows(); ++i) {
    for (size_t j = 0; j < repeated.columns(); ++j) repeated.at(i, j) = matrix.at(i, j % matrix.columns());
  }
  return repeated;
}

CodeGrids Repeated(const CodeGrids& grids, size_t ways) {
  CodeGrids repeated{.inputs_per_grid = grids.inputs_per_grid, .outputs = ways * grids.outputs};
  for (size_t first = 0; first < grids.grids.size(); first += grids.outputs) {
    for (size_t j = 0; j < repeated.outputs; ++j) repeated.grids.push_back(grids.grids[first + j % grids.outputs]);
  }
  return repeated;
}

// One scale for all outputs: small weights have few codes, and the codes of large ones are so near to each other that a
// step changes nothing.
CodeReach ReachOf(const CodedLayer& layer, CodeReach reach) {
  if (layer.weight.params.size() == 1) reach.steps = std::max(reach.steps, reach.shared_steps);
  return reach;
}

// The bias, which is the last input's weight, keeps its codes.
void Freeze(const Matrix& codes, CodeGrids& grids) {
  const size_t last = codes.rows() - 1;
  for (size_t j = 0; j < codes.columns(); ++j) {
    CodeGrid& grid = grids.grids[grids.grids.size() - codes.columns() + j];
    grid.least = grid.most = codes.at(last, j);
  }
}

// What a bias among the codes is fitted by: the last row of both moments.
struct LastMoments {
  std::vector<float> covariance, wanted;
};

LastMoments LastOf(const LayerSums::Moments& moments) {
  const auto last_row = [](const Matrix& matrix) {
    const float* row = matrix.row(matrix.rows() - 1);
    return std::vector<float>(row, row + matrix.columns());
  };
  return {last_row(moments.covariance), last_row(moments.cross)};
}

class GroupSolver {
 public:
  GroupSolver(const MatchedLayer& layer, LayerData& data, size_t group, const ReconstructionRule& rule,
              const ParallelFor& parallel_for)
      : layer_(layer.coded),
        in_float_(layer.in_float),
        ways_(data.ways),
        limits_(data.limits),
        rows_(data.rows.empty() ? nullptr : &data.rows[group]),
        judging_(data.judging[group]),
        group_(group),
        rule_(rule) {
    LayerSums::Moments moments = std::move(data.fitted[group]).Take();
    data.judging[group].Finish();
    if (layer_.bias) last_ = LastOf(moments);
    const bool few = layer_.has_few_codes();
    // Means are not taken off for a bias among the codes, and are no matter of chance.
    if (few && !layer_.bias) Shrink(moments.covariance, rule.shrinkage);
    means_ = std::move(moments.means);
    form_ = MakeQuadratic(std::move(moments.covariance), std::move(moments.cross), judging_,
                          few ? rule.damping_of_few : rule.damping, ways_, parallel_for);
    order_ = OrderFor(form_.curvature, rule.steps);
  }

  LayerSolution Solve(const ParallelFor& parallel_for) && {
    const size_t outputs = layer_.form.outputs, panels = (outputs + kPanelWidth - 1) / kPanelWidth;
    LayerSolution solution{.bias = std::vector<double>(outputs), .bias_alone = std::vector<double>(outputs)};
    std::vector<int64_t> kept(panels);
    parallel_for(panels, [&](size_t panel) {
      const size_t first = panel * kPanelWidth;
      kept[panel] = SolveSome({first, std::min(kPanelWidth, outputs - first)}, solution);
    });
    solution.kept = std::accumulate(kept.begin(), kept.end(), int64_t{0});
    solution.codes.push_back(std::move(form_.step));
    return solution;
  }

 private:
  // Some outputs, each as often as there are ways.
  struct Columns {
    std::vector<size_t> outputs;  // of the sums
    Matrix weights;
    CodeGrids grids;
    Matrix given;  // by the float weights, where rows judge
  };

  // Their codes take the place of their steps, which nothing needs afterwards. @return how many outputs get new codes
  int64_t SolveSome(OutputRange some, LayerSolution& solution) {
    Columns columns{.weights = Repeated(WeightsOf(layer_, in_float_, group_, some), ways_),
                    .grids = Repeated(GridsOf(layer_, group_, some), ways_)};
    for (size_t j = 0; j < columns.weights.columns(); ++j)
      columns.outputs.push_back(j / some.count * layer_.form.outputs + some.first + j % some.count);
    if (rows_ != nullptr) {
      columns.given = Matrix(rows_->inputs.rows(), columns.weights.columns());
      AddProduct(rows_->inputs.view(), columns.weights.view(), 1, columns.given.view());
    }
    Matrix old_codes = Repeated(CodesOf(layer_, group_, some), ways_);
    if (layer_.bias && !rule_.updates_bias) Freeze(old_codes, columns.grids);
    Matrix optimum = columns.weights;
    for (size_t i = 0; i < optimum.rows(); ++i) {
      for (size_t j = 0; j < optimum.columns(); ++j) optimum.at(i, j) += form_.step.at(i, columns.outputs[j]);
    }
    const CodeProblem problem{form_.curvature,   optimum, columns.weights, columns.grids, ReachOf(layer_, rule_.reach),
                              layer_.form.inputs};
    Attempt old = WithBias(std::move(old_codes), columns);
    Attempt rounded = WithBias(RoundCodes(problem, rule_.steps, order_), columns);
    const std::vector<double> old_errors = ErrorsOf(old, columns), errors = ErrorsOf(rounded, columns);
    for (Attempt* attempt : {&old, &rounded}) {
      if (layer_.bias) FitBiasCodes(columns, *attempt);
    }
    int64_t kept = 0;
    for (size_t j = 0; j < some.count; ++j) {
      const size_t best_old = BestWay(old_errors, j, some.count), best = BestWay(errors, j, some.count);
      const bool better = errors[best] < old_errors[best_old];
      kept += better;
      for (size_t i = 0; i < form_.step.rows(); ++i)
        form_.step.at(i, some.first + j) = better ? rounded.codes.at(i, best) : old.codes.at(i, best_old);
      solution.bias_alone[some.first + j] = BiasOf(old, best_old, some.first + j);
      solution.bias[some.first + j] =
          better ? BiasOf(rounded, best, some.first + j) : solution.bias_alone[some.first + j];
    }
    return kept;
  }

  // A coarse bias has its codes already.
  Attempt WithBias(Matrix codes, const Columns& columns) const {
    Matrix moved = WeightChange(codes, columns.weights, columns.grids);
    Attempt attempt{std::move(codes), std::move(moved), std::vector<double>(columns.outputs.size())};
    if (layer_.bias) return attempt;
    attempt.bias = BiasFor(means_, attempt.moved, columns.outputs);
    for (size_t j = 0; j < attempt.bias.size(); ++j)
      attempt.bias[j] += double{in_float_.bias[LayerOutput(columns.outputs[j])]};
    return attempt;
  }

  // Codes of the bias that fit the others.
  void FitBiasCodes(const Columns& columns, Attempt& attempt) const {
    Matrix& codes = attempt.codes;
    const size_t last = codes.rows() - 1;
    for (size_t j = 0; j < codes.columns(); ++j) {
      double shift = double{last_.wanted[columns.outputs[j]]};
      for (size_t i = 0; i < codes.rows(); ++i) shift -= double{last_.covariance[i]} * double{attempt.moved.at(i, j)};
      const CodeGrid& grid = columns.grids.at(last, j);
      float& code = codes.at(last, j);
      code = std::clamp(static_cast<float>(std::nearbyint(double{code} + shift / double{grid.scale})), grid.least,
                        grid.most);
    }
  }

  // What the judging runs tell of each column: behind the limits where there are rows for that.
  std::vector<double> ErrorsOf(const Attempt& attempt, const Columns& columns) const {
    std::vector<double> errors;
    if (rows_ == nullptr) {
      for (const JudgingSums::Parts& parts : judging_.PartsOf(attempt.moved, columns.outputs))
        errors.push_back(parts.Error());
      return errors;
    }
    Matrix given = columns.given;
    AddProduct(rows_->inputs.view(), attempt.moved.view(), 1, given.view());
    errors.resize(given.columns());
    for (size_t p = 0; p < given.rows(); ++p) {
      for (size_t j = 0; j < errors.size(); ++j) {
        const float value = std::clamp(given.at(p, j) + static_cast<float>(attempt.bias[j]), limits_.min, limits_.max);
        const float error = value - rows_->targets.at(p, columns.outputs[j] % layer_.form.outputs);
        errors[j] += double{error} * double{error};
      }
    }
    return errors;
  }

  // The column of output j, among so many, with the least error.
  static size_t BestWay(const std::vector<double>& errors, size_t j, size_t outputs) {
    size_t best = j;
    for (size_t column = j; column < errors.size(); column += outputs) {
      if (errors[column] < errors[best]) best = column;
    }
    return best;
  }

  // Of the layer, by the output of the sums.
  size_t LayerOutput(size_t output) const { return group_ * layer_.form.outputs + output % layer_.form.outputs; }

  double BiasOf(const Attempt& attempt, size_t column, size_t output) const {
    if (!layer_.bias) return attempt.bias[column];
    return double{layer_.bias->scales[LayerOutput(output)]} * double{attempt.codes.at(layer_.form.inputs, column)};
  }

  const CodedLayer& layer_;
  const FloatLayer& in_float_;
  const size_t ways_;
  const Range limits_;
  const JudgingRows* const rows_;
  const JudgingSums& judging_;
  const size_t group_;
  const ReconstructionRule& rule_;
  LastMoments last_;
  LayerMeans means_;
  Quadratic form_;
  SweepOrder order_;
};

}  // namespace

LayerSolution SolveLayer(const MatchedLayer& layer, LayerData data, const ReconstructionRule& rule,
                         const ParallelFor& parallel_for) {
  const size_t groups = layer.coded.form.groups;
  if (groups == 1) return GroupSolver(layer, data, 0, rule, parallel_for).Solve(parallel_for);
  std::vector<LayerSolution> by_group(groups);
  parallel_for(groups, [&](size_t group) { by_group[group] = GroupSolver(layer, data, group, rule, {}).Solve({}); });
  LayerSolution solution;
  for (LayerSolution& part : by_group) {
    solution.codes.push_back(std::move(part.codes.front()));
    solution.bias.insert(solution.bias.end(), part.bias.begin(), part.bias.end());
    solution.bias_alone.insert(solution.bias_alone.end(), part.bias_alone.begin(), part.bias_alone.end());
    solution.kept += part.kept;
  }
  return solution;
}

}  // namespace preon
