// What a .calib file must agree on with the model that it is used for.
#pragma once

#include <map>
#include <string>

#include "calib/calibration.h"
#include "config/options.h"
#include "config/resolve/resolve_options.h"
#include "pipeline/prepare_model.h"

namespace preon {

/// CalibrationData::setup of statistics collected with these options: target, version of the rewrites, mode.
std::string CalibrationSetup(const PreparedModel& prepared, const Options& options, const CalibrateOptions& how);

/// CalibrationData::shared.
std::map<std::string, std::string> SharedRanges(const QuantPlan& plan);

/// Errors: kCalibFileMismatch when `data`, from the file --calib, was made for another model or target.
Status CheckCalibrationFits(const CalibrationData& data, const PreparedModel& prepared, const Options& options);

/// Errors: kCalibFileMismatch when the two were made for different models or targets. One may be exact and the other
/// not.
Status CheckComparable(const CalibrationData& data, const CalibrationData& wanted);

/// For verbs that only collect. Errors: kConflictingOptions where the target observes nothing.
Status CheckObserves(const Choices& choices);

}  // namespace preon
