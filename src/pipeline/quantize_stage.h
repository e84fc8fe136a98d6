// From statistics to a verified file: ranges, Q/DQ, load and run in the runtime, comparison, and only then the output.
#pragma once

#include "calib/calibration.h"
#include "pipeline/float_outputs.h"
#include "pipeline/job.h"
#include "pipeline/prepare_model.h"
#include "report/results.h"

namespace preon {

/// Quantizes, verifies and writes `job.options.output`; fills everything of the result but sizes and facts. Where the
/// runtime turns out to compute in float what was planned in integers, `prepared` gets a plan without it, and again.
/// @param float_outputs  of the samples, as far as they are known
/// Errors: kVerifyLoad, kVerifyRun, kVerifyOutput (nothing is written then), those of ApplyPlan and of writing.
Result<QuantizeResult> QuantizeStage(PreparedModel& prepared, const CalibrationData& data,
                                     const FloatOutputs& float_outputs, Job& job);

}  // namespace preon
