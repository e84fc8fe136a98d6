// Float fall-back for accuracy: nodes that stay float because that buys much accuracy for little time.
#pragma once

#include <optional>

#include "pipeline/fallback_planner.h"
#include "pipeline/plan_inputs.h"
#include "pipeline/prepare_model.h"
#include "report/results/results.h"
#include "search/trial.h"

namespace preon {

struct FallbackStart {
  TrialError error;              ///< of the plan with the method
  std::optional<double> budget;  ///< share of the estimated time, 0…1; none: 0.03, and up to 0.25 until 22 dB are
                                 ///< reached where it is below 18
};

/// Looks for Conv, MatMul and Gemm nodes, single ones and groups, whose error costs the model much and whose float form
/// costs it little time, tries them on the trials' samples, and plans `prepared` again with those in float that pay
/// (docs/design/fallback.md). Nothing changes where too little is gained. Plans differ in few tensors, so
/// `inputs.chosen` saves time.
/// Errors: kCancelled; those of planning and of the runtime on the plan as it is.
Result<AccuracyFallback> FallBackForAccuracy(PlannedModel& prepared, const RangeMethod& method,
                                             const PlanInputs& inputs, const FallbackPlanner& fallback, Trials& trials,
                                             const FallbackStart& start);

}  // namespace preon
