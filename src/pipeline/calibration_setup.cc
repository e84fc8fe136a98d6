#include "pipeline/calibration_setup.h"

#include <string_view>

namespace preon {
namespace {

// Counted up when the rewrites change so that tensors of older .calib files may be missing.
constexpr int kGraphVersion = 5;

// Float16 models have tensors at their borders that float32 models have not.
std::string PlacementSetup(const PreparedModel& prepared, const Options& options) {
  const bool converted = options.prepare.float16 == Float16::kConvert;
  return StrCat("target=", prepared.plan.target, " graph=", kGraphVersion,
                prepared.was_float16 ? (converted ? " float16=convert" : " float16=keep-io") : "");
}

// Two words.
std::string ModeSetup(const CalibrateOptions& how) {
  return StrCat(how.mode == SketchMode::kExact ? " exact" : " sampled", how.optimize ? " optimized" : " as-is");
}

std::string_view WithoutMode(std::string_view setup) {
  setup = setup.substr(0, setup.rfind(' '));
  return setup.substr(0, setup.rfind(' '));
}

}  // namespace

std::string CalibrationSetup(const PreparedModel& prepared, const Options& options, const CalibrateOptions& how) {
  return PlacementSetup(prepared, options) + ModeSetup(how);
}

std::map<std::string, std::string> SharedRanges(const QuantPlan& plan) {
  std::map<std::string, std::string> shared;
  for (const auto& [tensor, activation] : plan.activations) {
    if (!activation.shares.empty()) shared[tensor] = activation.shares;
  }
  return shared;
}

Status CheckCalibrationFits(const CalibrationData& data, const PreparedModel& prepared, const Options& options) {
  const std::string& path = options.statistics.calib;
  PREON_RETURN_IF_ERROR(CheckSameModel(data.model_fingerprint, prepared.model.fingerprint).WithContext(path));
  const std::string wanted = PlacementSetup(prepared, options);
  if (data.setup.starts_with(wanted + " ")) return Status::Ok();
  return Error(ErrorId::kCalibFileMismatch, path, ": made with '", data.setup, "', wanted '", wanted, "'");
}

Status CheckComparable(const CalibrationData& data, const CalibrationData& wanted) {
  PREON_RETURN_IF_ERROR(CheckSameModel(data.model_fingerprint, wanted.model_fingerprint));
  if (WithoutMode(data.setup) == WithoutMode(wanted.setup)) return Status::Ok();
  return Error(ErrorId::kCalibFileMismatch, "made with '", data.setup, "', wanted '", WithoutMode(wanted.setup), "'");
}

Status CheckObserves(const Choices& choices) {
  if (choices.target->NeedsStatistics(choices.plan)) return Status::Ok();
  return Error(ErrorId::kConflictingOptions, "--target ", choices.target->name(), " with activations in ",
               choices.plan.activation.name(), ": observes nothing, there is nothing to collect");
}

}  // namespace preon
