#include "reconstruct/solve_layer.h"

#include <algorithm>
#include <cmath>

#include "solver/dense.h"
#include "solver/quadratic.h"

namespace preon {
namespace {

// Codes and bias of one group; each output in all ways: [inputs, ways · outputs].
struct Attempt {
  Matrix codes;
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
CodeReach ReachOf(const CodedLayer& layer, const ReconstructionRule& rule) {
  CodeReach reach = rule.reach;
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

// Its codes that fit the others.
void FitBiasCodes(const LayerSums& sums, const Matrix& weights, const CodeGrids& grids, Matrix& codes) {
  const size_t last = codes.rows() - 1;
  const Matrix moved = WeightChange(codes, weights, grids), curvature = sums.Covariance(),
               wanted = sums.CrossCovariance();
  for (size_t j = 0; j < codes.columns(); ++j) {
    double shift = double{wanted.at(last, j)};
    for (size_t i = 0; i < codes.rows(); ++i) shift -= double{curvature.at(last, i)} * double{moved.at(i, j)};
    const CodeGrid& grid = grids.at(last, j);
    float& code = codes.at(last, j);
    code = std::clamp(static_cast<float>(std::nearbyint(double{code} + shift / double{grid.scale})), grid.least,
                      grid.most);
  }
}

class GroupSolver {
 public:
  GroupSolver(const MatchedLayer& layer, const LayerData& data, size_t group, const ReconstructionRule& rule)
      : layer_(layer.coded),
        float_bias_(layer.in_float.bias),
        data_(data),
        group_(group),
        rule_(rule),
        fitted_(data.fitted[group]),
        judging_(data.judging[group]),
        weights_(Repeated(WeightsOf(layer.coded, layer.in_float.weight, layer.in_float.bias, group), data.ways)),
        old_codes_(Repeated(CodesOf(layer.coded, group), data.ways)),
        grids_(Repeated(GridsOf(layer.coded, group), data.ways)) {
    if (layer_.bias && !rule.updates_bias) Freeze(old_codes_, grids_);
  }

  /// Adds the group's outputs to those of the groups before.
  void Solve(const ParallelFor& parallel_for, LayerSolution& solution) const {
    std::vector<Attempt> attempts = {WithBias(old_codes_)};
    if (rule_.rounds) {
      const auto [curvature, optimum] = MakeQuadratic(fitted_, judging_, weights_, rule_.damping, data_.ways);
      attempts.push_back(
          WithBias(RoundCodes({curvature, optimum, weights_, grids_, ReachOf(layer_, rule_), layer_.form.inputs},
                              rule_.steps, parallel_for)));
    }
    TakeBest(attempts, solution);
  }

 private:
  Attempt WithBias(Matrix codes) const {
    Attempt attempt{std::move(codes), std::vector<double>(weights_.columns())};
    if (layer_.bias) {
      FitBiasCodes(fitted_, weights_, grids_, attempt.codes);
      return attempt;
    }
    const std::vector<double> shift = BiasFor(fitted_, WeightChange(attempt.codes, weights_, grids_));
    for (size_t j = 0; j < shift.size(); ++j) attempt.bias[j] = double{float_bias_[OutputOf(j)]} + shift[j];
    return attempt;
  }

  size_t OutputOf(size_t column) const { return group_ * layer_.form.outputs + column % layer_.form.outputs; }

  // What the judging runs tell of each column.
  std::vector<double> ErrorsOf(const Attempt& attempt) const {
    const Matrix moved = WeightChange(attempt.codes, weights_, grids_);
    if (data_.rows.empty()) return ErrorOf(judging_, moved);
    const JudgingRows& rows = data_.rows[group_];
    Matrix given(rows.inputs.rows(), moved.columns());
    AddProduct(rows.inputs.view(), weights_.view(), 1, given.view());
    AddProduct(rows.inputs.view(), moved.view(), 1, given.view());
    std::vector<double> errors(moved.columns());
    for (size_t p = 0; p < given.rows(); ++p) {
      for (size_t j = 0; j < errors.size(); ++j) {
        const float value = given.at(p, j) + static_cast<float>(attempt.bias[j]);
        const float error =
            std::clamp(value, data_.limits.min, data_.limits.max) - rows.targets.at(p, j % rows.targets.columns());
        errors[j] += double{error} * double{error};
      }
    }
    return errors;
  }

  // Of each output; the old codes unless others are better.
  void TakeBest(const std::vector<Attempt>& attempts, LayerSolution& solution) const {
    std::vector<std::vector<double>> errors;
    for (const Attempt& attempt : attempts) errors.push_back(ErrorsOf(attempt));
    const size_t outputs = layer_.form.outputs;
    Matrix& codes = solution.codes.emplace_back(weights_.rows(), outputs);
    for (size_t j = 0; j < outputs; ++j) {
      size_t best = 0, best_column = j;
      for (size_t attempt = 0; attempt < attempts.size(); ++attempt) {
        for (size_t column = j; column < weights_.columns(); column += outputs) {
          if (errors[attempt][column] >= errors[best][best_column]) continue;
          best = attempt;
          best_column = column;
        }
      }
      for (size_t i = 0; i < codes.rows(); ++i) codes.at(i, j) = attempts[best].codes.at(i, best_column);
      solution.kept += best != 0;
      solution.bias.push_back(layer_.bias
                                  ? double{layer_.bias->scales[OutputOf(j)]} * double{codes.at(layer_.form.inputs, j)}
                                  : attempts[best].bias[best_column]);
    }
  }

  const CodedLayer& layer_;
  const std::vector<float>& float_bias_;
  const LayerData& data_;
  const size_t group_;
  const ReconstructionRule& rule_;
  const LayerSums &fitted_, &judging_;
  const Matrix weights_, old_codes_;
  CodeGrids grids_;
};

}  // namespace

LayerSolution SolveLayer(const MatchedLayer& layer, const LayerData& data, const ReconstructionRule& rule,
                         const ParallelFor& parallel_for) {
  const size_t groups = layer.coded.form.groups;
  std::vector<LayerSolution> by_group(groups);
  const auto solve = [&](size_t group, const ParallelFor& inside) {
    GroupSolver(layer, data, group, rule).Solve(inside, by_group[group]);
  };
  if (groups == 1) {
    solve(0, parallel_for);
    return std::move(by_group[0]);
  }
  parallel_for(groups, [&](size_t group) { solve(group, {}); });
  LayerSolution solution;
  for (LayerSolution& part : by_group) {
    solution.codes.push_back(std::move(part.codes.front()));
    solution.bias.insert(solution.bias.end(), part.bias.begin(), part.bias.end());
    solution.kept += part.kept;
  }
  return solution;
}

}  // namespace preon
