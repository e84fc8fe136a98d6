// What the runtime makes of a quantized model that no one has saved yet.
#pragma once

#include <optional>

#include "base/context.h"
#include "pipeline/fallback_planner.h"
#include "pipeline/plan_inputs.h"
#include "pipeline/prepare_model.h"
#include "report/results/results.h"

namespace preon {

/// Opens the model that was written for the plan of `prepared` and reads back the graph that the runtime made of it;
/// none where that can't be read. Errors: the runtime's, kCancelled, kIoWrite for the temporary folder.
Result<std::optional<Placement>> RuntimePlacement(const PlannedModel& prepared, const Model& quantized,
                                                  const RunContext& context);

/// Leaves the nodes in float that the runtime would run in float all the same: they have no part in a search, and their
/// codes cost time in every run.
Status LeaveNotFused(PlannedModel& planned, const RangeMethod& method, const PlanInputs& inputs,
                     const FallbackPlanner& fallback, const RunContext& context);

}  // namespace preon
