// Mixed precision: layers that get other types because that costs little accuracy, or brings much.
#pragma once

#include <vector>

#include "config/precision_options.h"
#include "pipeline/fallback_planner.h"
#include "pipeline/plan_inputs.h"
#include "pipeline/prepare_model.h"
#include "report/results/precision_result.h"
#include "search/trial.h"

namespace preon {

struct PrecisionChoice {
  PrecisionResult result;
  std::vector<LayerOverride> layers;  ///< for PlanOptions: what the candidates that changed get
};

/// Ranks the candidates by the error that the outputs have with each of them alone changed, and changes as many of the
/// first as the threshold allows or demands (docs/design/search.md). `prepared` gets the new plan.
/// Errors: kMissingOption without samples; kBadOptionValue for an output that the model has not; kNothingToQuantize
/// without candidates; kCancelled; those of FindPrecisionCandidates, planning and the runtime on the plan as it is.
Result<PrecisionChoice> MixPrecision(PlannedModel& prepared, const RangeMethod& method, const PlanInputs& inputs,
                                     const FallbackPlanner& fallback, Trials& trials, const PrecisionOptions& options);

}  // namespace preon
