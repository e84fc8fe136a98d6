// What a .calib file must agree on with the model that it is used for.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "calib/calibration.h"
#include "config/options.h"
#include "pipeline/prepare_model.h"
#include "quantize/plan/target.h"

namespace preon {

/// CalibrationData::setup of statistics: target, version of the rewrites, algorithms that rewrote the model, mode.
/// @param float16   PreparedModel::float16
/// @param optimize  false: with the runtime's optimizer off
std::string CalibrationSetup(const PlannedModel& prepared, std::optional<Float16> float16, SketchMode mode,
                             bool optimize);

/// CalibrationData::shared.
std::map<std::string, std::string> SharedRanges(const QuantPlan& plan);

/// The file at `path`. Errors: those of LoadCalibration; kCalibFileMismatch when it was made for another model or
/// target.
Result<CalibrationData> LoadFittingCalibration(const std::string& path, const PlannedModel& prepared,
                                               std::optional<Float16> float16, int threads);

/// Warning for statistics from `path` whose values are not exactly those that `compat` computes with; empty where they
/// are.
std::string WarningOfCompat(const CalibrationData& data, Compat compat, const std::string& path);

/// Errors: kCalibFileMismatch when the two were made for different models or targets. One may be exact and the other
/// not.
Status CheckComparable(const CalibrationData& data, const CalibrationData& wanted);

/// For verbs that only collect. Errors: kConflictingOptions where the target observes nothing.
Status CheckObserves(const Target& target, const PlanOptions& plan);

}  // namespace preon
