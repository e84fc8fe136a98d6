// The plan after verification: what the runtime computes in float anyway stays float.
#pragma once

#include "calib/calibration.h"
#include "pipeline/job.h"
#include "pipeline/prepare_model.h"

namespace preon {

/// Plans again without the nodes that carry multiply-accumulates, were planned in integers and are not in `placement`'s
/// list of those: their codes would be expanded in every run. False, with the plan as it was, when there are none, the
/// target does not follow the runtime, nothing would be left, or the new plan needs statistics that `data` lacks.
/// Errors: those of Target::Plan.
Result<bool> FallBackNotFused(const Placement& placement, const CalibrationData& data, const Job& job,
                              PreparedModel& prepared);

}  // namespace preon
