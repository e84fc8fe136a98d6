// Sensitivity: which layers and tensors make the error of a quantized model, and what helps.
#pragma once

#include <cstdint>
#include <optional>

#include "pipeline/fallback_planner.h"
#include "pipeline/plan_inputs.h"
#include "pipeline/prepare_model.h"
#include "report/results/sensitivity_result.h"
#include "search/trial.h"

namespace preon {

struct SensitivityOptions {
  int64_t confirm;               ///< so many layers, those that promise most, and as many groups are run in float
  std::optional<double> budget;  ///< share of the time that the fix may cost; none: as for FallBackForAccuracy
};

/// One lock-step run tells where the noise at the outputs arises (docs/design/fallback.md), a few trials confirm it.
/// @param prepared  planned without nodes that the runtime leaves in float all the same
/// Fills the figures, layers, tensors and the fix, but not its command. Errors: kVerifyOutput where the shape of each
/// output depends on the data; kCancelled; those of WritePlan and the runtime.
Result<SensitivityResult> FindSensitivity(const PlannedModel& prepared, const RangeMethod& method,
                                          const PlanInputs& inputs, const FallbackPlanner& fallback, Trials& trials,
                                          const SensitivityOptions& options);

}  // namespace preon
