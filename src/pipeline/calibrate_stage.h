// Calibration of a prepared model, and what a .calib file must agree on with the model it is used for.
#pragma once

#include "calib/calibration.h"
#include "instrument/instrumented_model.h"
#include "pipeline/float_outputs.h"
#include "pipeline/job.h"
#include "pipeline/prepare_model.h"
#include "pipeline/trial_samples.h"

namespace preon {

class PartialCalibration;

/// One pass over the samples: statistics of every tensor that the plan observes, and who shares whose. Its first run
/// also checks the rewrites; where they change the outputs, `prepared` is made again with care, and so is the pass.
/// Where `job.saved` has ranges, only tensors that it lacks are observed, and without workers.
/// @param trial  null, or gets some of the samples
/// @param float_outputs  gets the outputs for the first ones
/// @param partial  keeps what an interrupted pass has learned, and has what to go on from; null where the pass must see
///     every value (methods that collect) or leaves nothing. The caller removes it once its output is there
Result<CalibrationData> CalibrateStage(PreparedModel& prepared, Job& job, TrialSamples* trial,
                                       FloatOutputs& float_outputs, PartialCalibration* partial);
/// The same for who wants nothing but the statistics: `prepared.model` is let go of after the first run.
Result<CalibrationData> CalibrateOnly(PreparedModel& prepared, Job& job, PartialCalibration& partial);

/// What CalibrateOnly would observe, and the .calib around it.
Instrumentation InstrumentationOf(const PreparedModel& prepared, const Job& job);

/// Errors: kCalibFileMismatch when `data` was made for another model or target.
Status CheckCalibrationFits(const CalibrationData& data, const PreparedModel& prepared, const Job& job);

/// Errors: kCalibFileMismatch when the two were made for different models or targets. One may be exact and the other
/// not.
Status CheckComparable(const CalibrationData& data, const CalibrationData& wanted);

/// For verbs that only collect. Errors: kConflictingOptions where the target observes nothing.
Status CheckObserves(const Job& job);

}  // namespace preon
