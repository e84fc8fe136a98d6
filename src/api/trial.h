// A trial: a plan with the ranges of one method, as a quantized model that runs on some samples.
#pragma once

#include "api/job.h"
#include "api/prepare_model.h"
#include "api/trial_samples.h"
#include "calib/calibration.h"
#include "ranges/range_method.h"

namespace preon {

/// How near the quantized model comes to float on the trial's samples: SQNR in dB, noise averaged over the outputs.
/// Errors: those of StatisticsOf, ApplyPlan and the runtime.
Result<double> TrialSqnrDb(const PreparedModel& prepared, const CalibrationData& data, const TrialSamples& trial,
                           const RangeMethod& method, const Job& job);

}  // namespace preon
