// From calibration to what a plan is written with: ranges by a method, channel means for the biases.
#pragma once

#include "calib/calibration.h"
#include "pipeline/job.h"
#include "pipeline/prepare_model.h"
#include "quantize/plan/plan_statistics.h"
#include "ranges/range_method.h"

namespace preon {

/// What `job.saved` has, else `data`. Ranges of every tensor that the plan observes; channels' means and extremes as
/// far as the options want them. Errors: kRangeMissing, kRangeNotFinite, naming the tensor.
Result<PlanStatistics> StatisticsOf(const PreparedModel& prepared, const CalibrationData& data,
                                    const RangeMethod& method, const Job& job);

}  // namespace preon
