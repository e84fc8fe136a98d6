// --save-and-restore: ranges of an earlier run in place of a calibration, and back into the file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/options.h"
#include "pipeline/plan_inputs.h"
#include "pipeline/prepare_model.h"
#include "pipeline/saved_ranges.h"
#include "quantize/plan/target.h"

namespace preon {

/// SHA-256 of the options that ranges depend on.
std::string HashOfRangeOptions(const Options& options);

/// What the file at `path` has; nothing where there is no such file or no path. A warning where its name does not end
/// in .json. Errors: those of LoadSavedRanges.
Result<std::optional<SavedRanges>> LoadSaved(const std::string& path, std::vector<std::string>& warnings);

/// Plans again with the nodes that were left in float, and warns where the file is of another model or other options,
/// or knows tensors that the model has not. Nothing where `saved` is null.
/// Errors: kCalibFileMismatch where algorithms have rewritten one of the models by other samples; those of
/// Target::Plan.
/// @param path         of the file that `saved` is from
/// @param config_hash  HashOfRangeOptions of this run
Status ApplySaved(const SavedRanges* saved, const std::string& path, const std::string& config_hash,
                  const Target& target, PlanOptions plan, PreparedModel& prepared);

/// Tensors whose range neither the file nor the plan itself gives. All, where `saved` is null.
std::vector<std::string> MissingRanges(const QuantPlan& plan, const SavedRanges* saved);

/// Writes what the plan was written with to `path`. No more than that is in the file: tensors that share a range have
/// none.
Result<AtomicFile> StageSaved(const PlannedModel& prepared, const RangeMethod& method, const PlanInputs& inputs,
                              const std::string& config_hash, const std::string& path, const RunContext& context);

}  // namespace preon
