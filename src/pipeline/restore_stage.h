// --save-and-restore: ranges of an earlier run in place of a calibration, and back into the file.
#pragma once

#include <string>
#include <vector>

#include "calib/calibration.h"
#include "pipeline/job.h"
#include "pipeline/prepare_model.h"
#include "report/results.h"

namespace preon {

/// Reads the file into `job.saved` where there is one. Errors: those of LoadSavedRanges.
Status LoadSaved(Job& job);

/// Plans again with the nodes that were left in float, and warns where the file is of another model or other options,
/// or knows tensors that the model has not. Errors: those of Target::Plan.
Status ApplySaved(const Job& job, PreparedModel& prepared);

/// Tensors whose range neither the file nor the plan itself gives. All, where there is no file.
std::vector<std::string> MissingRanges(const PreparedModel& prepared, const Job& job);

/// Writes what the plan was written with. No more than that is in the file: tensors that share a range have none.
Status WriteSaved(const PreparedModel& prepared, const CalibrationData& data, const QuantizeResult& result,
                  const Job& job);

}  // namespace preon
