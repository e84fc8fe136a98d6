#include "reconstruct/solve_layer.h"

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

GroupSolution SolveGroup(const MatchedLayer& layer, const LayerData& data, size_t group, const ReconstructionRule& rule,
                         const ParallelFor& parallel_for) {
  const LayerSums &fitted = data.fitted[group], &judging = data.judging[group];
  const Matrix weights = WeightsOf(layer.coded.form, layer.in_float.weight, group);
  const Matrix old_codes = CodesOf(layer.coded, group);
  const CodeGrids grids = GridsOf(layer.coded, group);
  GroupSolution solution{.codes = old_codes};
  if (rule.rounds) {
    const auto [curvature, optimum] = MakeQuadratic(fitted, judging, weights, rule.damping);
    solution.codes = RoundCodes({curvature, optimum, weights, grids, rule.reach}, rule.steps, parallel_for);
  }
  KeepConfirmed(judging, weights, grids, old_codes, solution);
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
    solution.codes.push_back(std::move(part.codes));
    for (size_t j = 0; j < outputs; ++j)
      solution.bias.push_back(double{layer.in_float.bias[group * outputs + j]} + part.shift[j]);
    solution.kept += part.kept;
    solution.before += part.before;
    solution.after += part.after;
  }
  return solution;
}

}  // namespace preon
