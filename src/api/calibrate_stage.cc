#include "api/calibrate_stage.h"

namespace preon {
namespace {

// Counted up when the rewrites change so that tensors of older .calib files may be missing.
constexpr int kGraphVersion = 1;

std::string PlacementSetup(const QuantPlan& plan) { return StrCat("target=", plan.target, " graph=", kGraphVersion); }

}  // namespace

Result<CalibrationData> CalibrateStage(const PreparedModel& prepared, Job& job) {
  job.clock.Begin("calibrate");
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, job.open_samples(InputSpecs(prepared.source.graph)));
  source = Prefetch(std::move(source));
  const CalibrateOptions options{.mode = job.options.sketch_mode, .optimize = job.options.optimize_observed};
  PREON_ASSIGN_OR_RETURN(CalibrationData data,
                         Calibrate(prepared.model, prepared.plan.ObservedTensors(), *source, options, job.context));
  data.model_fingerprint = prepared.source.fingerprint;
  data.setup = StrCat(PlacementSetup(prepared.plan), options.mode == SketchMode::kExact ? " exact" : " sampled",
                      options.optimize ? " optimized" : " as-is");
  for (const auto& [tensor, activation] : prepared.plan.activations) {
    if (!activation.shares.empty()) data.shared[tensor] = activation.shares;
  }
  return data;
}

Status CheckCalibrationFits(const CalibrationData& data, const PreparedModel& prepared, const std::string& path) {
  if (data.model_fingerprint != prepared.source.fingerprint) {
    return Error(ErrorId::kCalibFileMismatch, path, ": made for another model (fingerprint ",
                 data.model_fingerprint.substr(0, 12), "…, wanted ", prepared.source.fingerprint.substr(0, 12), "…)");
  }
  const std::string wanted = PlacementSetup(prepared.plan);
  if (!data.setup.starts_with(wanted + " ")) {
    return Error(ErrorId::kCalibFileMismatch, path, ": made with '", data.setup, "', wanted '", wanted, "'");
  }
  return Status::Ok();
}

}  // namespace preon
