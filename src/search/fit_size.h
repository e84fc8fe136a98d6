// FitSize: which layers get weights of fewer bits, so that the file is no larger than wanted.
#pragma once

#include <vector>

#include "pipeline/fallback_planner.h"
#include "pipeline/plan_inputs.h"
#include "pipeline/prepare_model.h"
#include "report/results/size_fit.h"
#include "search/trial.h"

namespace preon {

struct SizeGoal {
  int64_t most_bytes = 0;
  LayerOverride fewer_bits;  ///< what a layer gets
};

struct SizeChoice {
  SizeFit fit;
  std::vector<LayerOverride> layers;  ///< for PlanOptions
};

/// One lock-step run with all candidates at fewer bits tells how much of the noise at the outputs each weight makes;
/// those that make the least for the bytes that they save come first, as many as it takes (the Lagrangian of noise
/// under a limit of bytes). `prepared` gets the new plan, none where the file is small enough as it is.
/// Errors: kMissingOption without samples; kSizeNotReached where all candidates are not enough; those of planning,
/// WritePlan and RunLockStep.
Result<SizeChoice> FitSize(PlannedModel& prepared, const RangeMethod& method, const PlanInputs& inputs,
                           const FallbackPlanner& fallback, Trials& trials, const SizeGoal& goal);

}  // namespace preon
