// The plan after calibration: what the data did not reach stays float.
#pragma once

#include "calib/calibration.h"
#include "pipeline/job.h"
#include "pipeline/prepare_model.h"

namespace preon {

/// Plans again without the nodes that `data` never reached, until everything that the plan observes had values; a
/// warning says where they are. A plan all of whose tensors had values stays as it is.
/// Errors: kNothingToQuantize when nothing is left; those of Target::Plan.
Status FallBackNotReached(const CalibrationData& data, const Job& job, PreparedModel& prepared);

}  // namespace preon
