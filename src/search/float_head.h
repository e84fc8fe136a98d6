// Layers behind the inputs whose weights one scale does not bear.
#pragma once

#include "base/status.h"
#include "pipeline/fallback_planner.h"
#include "pipeline/prepare_model.h"

namespace preon {

/// First layers, with what leads to them and the operators behind them, where nearest codes lose a tenth of what their
/// outputs' weights are: values of pixels and of the first features differ most in size. Empty: there is none.
/// Errors: those of the weights' scales.
Result<FloatNodes> HeadOf(const Graph& graph, const QuantPlan& plan);

/// Plans again with them in float. Nothing changes where nothing else would be left.
/// Errors: those of HeadOf and of planning.
Status LeaveHead(PlannedModel& prepared, const FallbackPlanner& fallback);

}  // namespace preon
