// From calibration to what a plan is written with: ranges by a method, channel means for the biases.
#pragma once

#include "api/options.h"
#include "api/prepare_model.h"
#include "calib/calibration.h"
#include "quantize/plan.h"
#include "ranges/range_method.h"

namespace preon {

/// Of every tensor that the plan observes; means only with options.bias_correction.
/// Errors: kRangeMissing, kRangeNotFinite, naming the tensor.
Result<PlanStatistics> StatisticsOf(const PreparedModel& prepared, const CalibrationData& data,
                                    const RangeMethod& method, const Options& options);

}  // namespace preon
