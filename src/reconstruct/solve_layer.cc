#include "reconstruct/solve_layer.h"

#include <algorithm>
#include <cmath>

#include "solver/quadratic.h"

namespace preon {
namespace {

struct GroupSolution {
  Matrix codes;
  std::vector<double> shift;
  int64_t kept = 0;
  double before = 0, after = 0;
};

// Outputs whose error on the judging samples the new codes do not lessen get the old ones back.
void KeepConfirmed(const LayerSums& judging, const Matrix& weights, const CodeGrids& grids, const Matrix& old_codes,
                   GroupSolution& solution) {
  Matrix& codes = solution.codes;
  const std::vector<double> before = ErrorOf(judging, WeightChange(old_codes, weights, grids));
  const std::vector<double> after = ErrorOf(judging, WeightChange(codes, weights, grids));
  for (size_t j = 0; j < codes.columns(); ++j) {
    const bool better = after[j] < before[j];
    solution.kept += better;
    solution.before += before[j];
    solution.after += better ? after[j] : before[j];
    for (size_t i = 0; i < codes.rows() && !better; ++i) codes.at(i, j) = old_codes.at(i, j);
  }
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

GroupSolution SolveGroup(const MatchedLayer& layer, const LayerData& data, size_t group, const ReconstructionRule& rule,
                         const ParallelFor& parallel_for) {
  const LayerSums &fitted = data.fitted[group], &judging = data.judging[group];
  const Matrix weights = WeightsOf(layer.coded, layer.in_float.weight, layer.in_float.bias, group);
  const Matrix old_codes = CodesOf(layer.coded, group);
  CodeGrids grids = GridsOf(layer.coded, group);
  const bool coarse = layer.coded.bias.has_value();
  if (coarse && !rule.updates_bias) Freeze(old_codes, grids);
  GroupSolution solution{.codes = old_codes};
  if (rule.rounds) {
    const auto [curvature, optimum] = MakeQuadratic(fitted, judging, weights, rule.damping);
    solution.codes =
        RoundCodes({curvature, optimum, weights, grids, ReachOf(layer.coded, rule), layer.coded.form.inputs},
                   rule.steps, parallel_for);
  }
  KeepConfirmed(judging, weights, grids, old_codes, solution);
  if (coarse)
    FitBiasCodes(fitted, weights, grids, solution.codes);
  else
    solution.shift = BiasFor(fitted, WeightChange(solution.codes, weights, grids));
  return solution;
}

}  // namespace

LayerSolution SolveLayer(const MatchedLayer& layer, const LayerData& data, const ReconstructionRule& rule,
                         const ParallelFor& parallel_for) {
  const size_t groups = layer.coded.form.groups, outputs = layer.coded.form.outputs;
  std::vector<GroupSolution> by_group(groups);
  if (groups == 1)
    by_group[0] = SolveGroup(layer, data, 0, rule, parallel_for);
  else
    parallel_for(groups, [&](size_t group) { by_group[group] = SolveGroup(layer, data, group, rule, {}); });
  LayerSolution solution;
  for (size_t group = 0; group < groups; ++group) {
    GroupSolution& part = by_group[group];
    for (size_t j = 0; j < outputs; ++j) {
      const size_t output = group * outputs + j;
      solution.bias.push_back(layer.coded.bias ? double{layer.coded.bias->scales[output]} *
                                                     double{part.codes.at(layer.coded.form.inputs, j)}
                                               : double{layer.in_float.bias[output]} + part.shift[j]);
    }
    solution.codes.push_back(std::move(part.codes));
    solution.kept += part.kept;
    solution.before += part.before;
    solution.after += part.after;
  }
  return solution;
}

}  // namespace preon
