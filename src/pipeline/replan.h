// Another plan after calibration, with more nodes left in float.
#pragma once

#include "calib/calibration.h"
#include "pipeline/job.h"
#include "pipeline/prepare_model.h"
#include "quantize/plan/float_reason.h"

namespace preon {

/// Plans again with the nodes of `left_float` in float. False, with the plan as it was, when nothing would be left to
/// quantize or the new plan needs statistics that `data` lacks. Errors: those of Target::Plan.
Result<bool> Replan(std::map<std::string, FloatReason> left_float, const CalibrationData& data, const Job& job,
                    PreparedModel& prepared);

}  // namespace preon
