// The policy of `auto`: several range methods tried as quantized models, the nearest to float kept.
#pragma once

#include "calib/calibration.h"
#include "pipeline/job.h"
#include "pipeline/prepare_model.h"
#include "pipeline/trial_samples.h"

namespace preon {

/// Quantizes by each policy, runs the result on the trial's samples, and puts the one with the least error into
/// job.choices.method. Returns what each gave, in the order they were tried; nothing where there are no samples, and
/// the method stays. A policy that fails is left out with a warning. Errors: kCancelled; that of the last policy if all
/// fail.
Result<std::vector<MethodCandidate>> ChooseMethod(const PreparedModel& prepared, const CalibrationData& data,
                                                  const TrialSamples& trial, Job& job);

}  // namespace preon
