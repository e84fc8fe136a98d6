// Which options go together, before a file is opened. What has no effect: config/ignored_options.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "config/options.h"
#include "quantize/plan/target.h"

namespace preon {

using Warnings = std::vector<std::string>;

/// Options about samples, beside --calib, which comes with its own. Errors: kConflictingOptions, as below.
Status CheckCalibAlone(const DataOptions& data, const CalibrationOptions& calibration, const SettingOrigins& origins);
/// Options that choose scales or change weights, each with whether it is given, beside --encodings, whose scales belong
/// to the weights as they are.
Status CheckEncodingsAlone(const std::vector<std::pair<bool, const char*>>& unusable);
/// The search of weights with scales of this type.
Status CheckWeightSearch(const WeightRule& rule, ScaleType scale_type, const SettingOrigins& origins,
                         Warnings* warnings);
/// Errors: kConflictingOptions where a type has no such scales.
Status CheckInt16Scales(ScaleType of_weights, const TensorType& weight, ScaleType of_activations,
                        const TensorType& activation);
/// Options of ranges where no tensor has one, of algorithms where they do not apply, of op lists where there is none,
/// of another kind of target.
Status CheckFitsTarget(const Options& options, const PlanOptions& plan, const Target& target,
                       const AlgorithmRegistry& algorithms, Warnings* warnings);
/// Options of single types; resets those that are ignored with the types of `plan`.
Status CheckTypeOptions(const Target& target, const SettingOrigins& origins, PlanOptions& plan, Warnings* warnings);
/// Block types get the attributes of their operator. Errors: kFormatAttribute, kConflictingOptions where no type has
/// it.
/// @param of_plan   PlanOptions::Types
/// @param on_types  of the plan, for warnings
Status SetAttributes(const TypeOptions& types, const SettingOrigins& origins, const std::vector<TensorType*>& of_plan,
                     std::string_view on_types, Warnings* warnings);
/// Options that a method which needs all values in the data's order excludes.
Status CheckInOrder(const CalibrationOptions& calibration, const std::string& saved_ranges, const std::string& method,
                    const SettingOrigins& origins);
/// Warns of settings that are allowed, but rarely meant.
/// @param keys            GivenSettings::keys
/// @param symmetric_name  what the user has set `symmetric` by
void WarnOfDoubtful(const std::map<std::string, std::string>& keys, const TensorType& activation, bool symmetric,
                    std::string_view symmetric_name, Warnings* warnings);
/// Options of random samples. @param searches  the seed is that of a search, too
Status CheckRandom(const SourceOptions& from, const RandomOptions& random, bool searches, const SettingOrigins& origins,
                   Warnings* warnings);
Status CheckPreprocess(const SourceOptions& from, const std::string& preprocess, const SettingOrigins& origins,
                       Warnings* warnings);

}  // namespace preon
