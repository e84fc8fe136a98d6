#include "api/save_histograms.h"
#include "api/verbs.h"
#include "config/resolve/crypto_mode.h"
#include "pipeline/calibrate_stage.h"
#include "pipeline/calibration_setup.h"
#include "pipeline/output.h"
#include "pipeline/partial_calibration.h"

namespace preon {

Result<CalibrateResult> CalibrateVerb(const std::string& model, RunInputs& run) {
  PREON_RETURN_IF_ERROR(RefuseCryptoMode("calibrate", run.options.crypto));
  const std::string& output = run.options.outputs.file;
  PREON_RETURN_IF_ERROR(CheckOutputs("calibrate", run.options, {model}));
  PREON_RETURN_IF_ERROR(CheckObserves(*run.choices.target, run.choices.plan));
  if (!run.samples.open) return MissingData("calibrate", "--data SRC");
  const std::optional<WorkerTask>& task = run.options.calibration.workers.task;
  const ModelPreparation preparation = run.Preparation();
  const Status undone = Error(ErrorId::kPassFailed, "rewrites change the outputs");
  PREON_ASSIGN_OR_RETURN(PreparedModel prepared, task && task->verify_each_pass
                                                     ? preparation.PrepareVerifyingEachPass(model, undone)
                                                     : preparation.Prepare(model));
  PREON_RETURN_IF_ERROR(CheckNotInputs(run.options.outputs, prepared.external_files));
  PartialCalibration partial = run.Partial();
  PREON_ASSIGN_OR_RETURN(const Calibration calibration,
                         run.Calibration(preparation).Run(prepared, {.partial = &partial, .keep_model = false}));
  const CalibrationData& data = calibration.data;
  run.context.BeginStage("write");
  // All that was asked for, or nothing: the file is the last.
  if (!run.options.outputs.histograms.empty() && !task) PREON_RETURN_IF_ERROR(SaveHistograms(data, run));
  PREON_RETURN_IF_ERROR(task ? partial.Save(data) : SaveCalibration(data, output));
  if (!task) partial.Remove();

  CalibrateResult result{.facts = RunFactsOf(run.context, "calibrate", calibration.workers_peak_rss_bytes),
                         .output = output,
                         .samples = data.sample_count(),
                         .observed_tensors = static_cast<int64_t>(data.tensors.size()),
                         .shared_tensors = static_cast<int64_t>(data.shared.size()),
                         .warnings = run.choices.warnings};
  result.warnings.insert(result.warnings.end(), prepared.warnings.begin(), prepared.warnings.end());
  WarnOfRandom(run.options.data.from, run.options.eval_data, "these statistics", result.warnings);
  for (const auto& [name, seconds] : result.facts.seconds) {
    if (name == "calibrate")
      result.seconds_per_sample = seconds / static_cast<double>(std::max<int64_t>(result.samples, 1));
  }
  return result;
}

}  // namespace preon
