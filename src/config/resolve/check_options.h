// Which options go together, before a file is opened. What has no effect: config/ignored_options.h.
#pragma once

#include <string>
#include <vector>

#include "config/options.h"
#include "quantize/plan/target.h"

namespace preon {

using Warnings = std::vector<std::string>;

/// Options about samples, beside --calib, which comes with its own. Errors: kConflictingOptions, as below.
Status CheckCalibAlone(const DataOptions& data, const CalibrationOptions& calibration);
/// Types of scales and the search of weights.
Status CheckScaleTypes(const Options& options, Warnings* warnings);
/// Options of ranges where no tensor has one, of op lists where there is none, of another kind of target.
Status CheckFitsTarget(const Options& options, const PlanOptions& plan, const Target& target, Warnings* warnings);
/// Options of single types; resets those that are ignored with the types of `plan`.
Status CheckTypeOptions(const Options& options, PlanOptions& plan, Warnings* warnings);
/// Block types get the attributes of their operator. Errors: kFormatAttribute, kConflictingOptions where no type has
/// it.
Status SetAttributes(const Options& options, PlanOptions& plan, Warnings* warnings);
/// Options that a method which needs all values in the data's order excludes.
Status CheckInOrder(const CalibrationOptions& calibration, const StatisticsOptions& statistics,
                    const std::string& method);
/// Warns of settings that are allowed, but rarely meant.
void WarnOfDoubtful(const GivenSettings& given, const StatisticsOptions& statistics, const TensorType& activation,
                    std::optional<bool> symmetric, Warnings* warnings);
/// Options of random samples.
Status CheckRandom(const Options& options, Warnings* warnings);
Status CheckPreprocess(const Options& options, Warnings* warnings);

}  // namespace preon
