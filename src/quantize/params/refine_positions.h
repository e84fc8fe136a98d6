// Moves the positions of a plan's scales into the limits of an NPU's shifts, before a code exists: weights and biases
// are rounded with the scales that they have in the end.
#pragma once

#include <functional>

#include "quantize/params/plan_params.h"
#include "quantize/params/position_table.h"

namespace preon {

/// Scales of a constant as they would be written.
using ParamsOfConstant = std::function<Result<std::vector<QuantParams>>(const std::string&, const WeightPlan&)>;

/// SolvePositions (solve_positions.h) over the scales of the plan. `params` then has the moved scales of activations,
/// and the bounds of those of constants.
/// Errors: those of `params_of`.
Result<PositionTable> RefinePositions(const Graph& graph, const QuantPlan& plan, PlanParams& params,
                                      const ParamsOfConstant& params_of);

/// Biases may have got other positions inside their bounds since then, by corrections.
void UpdateBiases(const PlanParams& params, PositionTable& table);

}  // namespace preon
