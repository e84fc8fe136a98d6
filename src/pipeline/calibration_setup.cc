#include "pipeline/calibration_setup.h"

#include <string_view>

#include "pipeline/float_algorithms.h"

namespace preon {
namespace {

// Counted up when the rewrites change so that tensors of older .calib files may be missing.
constexpr int kGraphVersion = 5;

// Float16 models have tensors at their borders that float32 models have not.
std::string PlacementSetup(const PlannedModel& prepared, std::optional<Float16> float16) {
  const char* borders = !float16 ? "" : *float16 == Float16::kConvert ? " float16=convert" : " float16=keep-io";
  const std::string& by = prepared.rewritten_by;
  return StrCat("target=", prepared.plan.target, " graph=", kGraphVersion, borders,
                by.empty() ? "" : " algorithms=", by);
}

constexpr std::string_view kOptimized = " optimized";

// Two words.
std::string ModeSetup(SketchMode mode, bool optimize) {
  return StrCat(mode == SketchMode::kExact ? " exact" : " sampled", optimize ? kOptimized : " as-is");
}

std::string_view WithoutMode(std::string_view setup) {
  setup = setup.substr(0, setup.rfind(' '));
  return setup.substr(0, setup.rfind(' '));
}

}  // namespace

std::string CalibrationSetup(const PlannedModel& prepared, std::optional<Float16> float16, SketchMode mode,
                             bool optimize) {
  return PlacementSetup(prepared, float16) + ModeSetup(mode, optimize);
}

std::map<std::string, std::string> SharedRanges(const QuantPlan& plan) {
  std::map<std::string, std::string> shared;
  for (const auto& [tensor, activation] : plan.activations) {
    if (!activation.shares.empty()) shared[tensor] = activation.shares;
  }
  return shared;
}

Result<CalibrationData> LoadFittingCalibration(const std::string& path, const PlannedModel& prepared,
                                               std::optional<Float16> float16, int threads) {
  PREON_ASSIGN_OR_RETURN(CalibrationData data, LoadCalibration(path, threads));
  PREON_RETURN_IF_ERROR(CheckSameModel(data.model_fingerprint, prepared.model.fingerprint).WithContext(path));
  const std::string wanted = PlacementSetup(prepared, float16);
  if (WithoutMode(data.setup) == wanted) return data;
  const char* hint = "preon calibrate with the options of this run, such as --target, makes a file that fits";
  if (prepared.rewritten_by.ends_with(kNoSamples))
    hint = "add --data with the samples of that file: an algorithm of this run learns from them";
  else if (HasLearned(prepared.rewritten_by))
    hint =
        "an algorithm of this run has learned from --data: the file has to be made with the same samples and options, "
        "on a processor of the same kind";
  return Error(ErrorId::kCalibFileMismatch, path, ": made with '", data.setup, "', wanted '", wanted, "'")
      .WithHint(hint);
}

std::string WarningOfCompat(const CalibrationData& data, Compat compat, const std::string& path) {
  if (compat == Compat::kOff || !data.setup.ends_with(kOptimized)) return {};
  return StrCat(
      path, ": collected from the optimized graph, whose values can differ in the last digits from those of --compat ",
      CompatName(compat), "; calibrate again with --no-optimize --threads 1");
}

Status CheckComparable(const CalibrationData& data, const CalibrationData& wanted) {
  PREON_RETURN_IF_ERROR(CheckSameModel(data.model_fingerprint, wanted.model_fingerprint));
  if (WithoutMode(data.setup) == WithoutMode(wanted.setup)) return Status::Ok();
  return Error(ErrorId::kCalibFileMismatch, "made with '", data.setup, "', wanted '", WithoutMode(wanted.setup), "'");
}

Status CheckObserves(const Target& target, const PlanOptions& plan) {
  if (target.NeedsStatistics(plan)) return Status::Ok();
  return Error(ErrorId::kConflictingOptions, "--target ", target.name(), " with activations in ",
               plan.activation.name(), ": no tensor is observed, so there is nothing to collect");
}

}  // namespace preon
