#include "api/save_histograms.h"
#include "api/verbs.h"
#include "pipeline/calibrate_stage.h"
#include "pipeline/output.h"
#include "pipeline/partial_calibration.h"
#include "pipeline/quantize_stage.h"

namespace preon {

Result<CalibrateResult> CalibrateVerb(const std::string& model, Job& job) {
  const std::string& output = job.options.output;
  PREON_RETURN_IF_ERROR(CheckOutputs("calibrate", job.options, {model}));
  PREON_RETURN_IF_ERROR(CheckObserves(job));
  if (!job.open_samples) return MissingData("calibrate", "--data SRC");
  const std::optional<WorkerTask>& task = job.options.calibration.workers.task;
  const Status taken_back = Error(ErrorId::kPassFailed, "rewrites change the outputs");
  PREON_ASSIGN_OR_RETURN(PreparedModel prepared, task && task->careful
                                                     ? PrepareVerifyingEachPass(model, job, taken_back)
                                                     : PrepareModel(model, job));
  PartialCalibration partial(job.options);
  PREON_ASSIGN_OR_RETURN(const CalibrationData data, CalibrateOnly(prepared, job, partial));
  job.clock.Begin("write");
  PREON_RETURN_IF_ERROR(task ? partial.Save(data) : SaveCalibration(data, output));
  if (!task) partial.Remove();
  if (!job.options.save_histograms.empty() && !task) PREON_RETURN_IF_ERROR(SaveHistograms(data, job));

  CalibrateResult result{.facts = job.clock.Finish("calibrate"),
                         .output = output,
                         .samples = data.sample_count(),
                         .observed_tensors = static_cast<int64_t>(data.tensors.size()),
                         .shared_tensors = static_cast<int64_t>(data.shared.size()),
                         .warnings = job.choices.warnings};
  result.warnings.insert(result.warnings.end(), prepared.warnings.begin(), prepared.warnings.end());
  if (job.options.data.has_random()) result.warnings.push_back("random samples: these are the statistics of noise");
  for (const auto& [stage, seconds] : result.facts.seconds) {
    if (stage == "calibrate")
      result.seconds_per_sample = seconds / static_cast<double>(std::max<int64_t>(result.samples, 1));
  }
  return result;
}

Result<MergeResult> MergeVerb(const std::vector<std::string>& parts, Job& job) {
  const std::string& output = job.options.output;
  PREON_RETURN_IF_ERROR(CheckOutputs("merge", job.options, parts));
  job.clock.Begin("load");
  std::vector<CalibrationData> loaded;
  for (const std::string& part : parts) {
    PREON_ASSIGN_OR_RETURN(loaded.emplace_back(), LoadCalibration(part));
  }
  job.clock.Begin("merge");
  PREON_ASSIGN_OR_RETURN(const CalibrationData merged, MergeCalibrations(std::move(loaded)));
  job.clock.Begin("write");
  PREON_RETURN_IF_ERROR(SaveCalibration(merged, output));
  return MergeResult{.facts = job.clock.Finish("merge"),
                     .output = output,
                     .parts = static_cast<int64_t>(parts.size()),
                     .samples = merged.sample_count(),
                     .observed_tensors = static_cast<int64_t>(merged.tensors.size())};
}

}  // namespace preon
