// A trial: a plan with the ranges of one method, as a quantized model that runs on some samples.
#pragma once

#include "calib/calibration.h"
#include "pipeline/job.h"
#include "pipeline/prepare_model.h"
#include "pipeline/trial_samples.h"
#include "ranges/range_method.h"

namespace preon {

/// Of a model that hands on a state (eval/state_loop.h), puts the outputs in closed loop into the trial: a method's
/// error gets into the state and comes back, which runs from the float model's states do not show. Errors: the
/// runtime's.
Status CloseLoop(const PreparedModel& prepared, const Job& job, TrialSamples& trial);

/// How near the quantized model comes to float on the trial's samples: SQNR in dB, noise averaged over the outputs;
/// in closed loop where the model hands on a state, which CloseLoop has prepared the trial for.
/// Errors: those of StatisticsOf, ApplyPlan and the runtime.
Result<double> TrialSqnrDb(const PreparedModel& prepared, const CalibrationData& data, const TrialSamples& trial,
                           const RangeMethod& method, const Job& job);

}  // namespace preon
