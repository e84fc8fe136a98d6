#include <algorithm>
#include <filesystem>
#include <optional>

#include "api/save_histograms.h"
#include "api/verbs.h"
#include "base/system.h"
#include "eval/compare_models.h"
#include "pipeline/calibrate_stage.h"
#include "pipeline/output.h"
#include "pipeline/partial_calibration.h"
#include "pipeline/quantize_stage.h"
#include "pipeline/restore_stage.h"
#include "pipeline/unreached.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/write/bias_correction.h"
#include "report/report_file.h"
#include "search/choose_method.h"
#include "search/sensitivity_fallback.h"
#include "search/trial.h"

namespace preon {
namespace {

// Statistics from a file: the float model runs over the samples for the trial alone.
Status RunTrial(const PreparedModel& prepared, Job& job, TrialSamples& trial) {
  job.clock.Begin("try");
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, job.open_samples(prepared.inputs, {}));
  PREON_ASSIGN_OR_RETURN(Session session,
                         Session::OpenFile(prepared.model.source_path, {.threads = job.context.ThreadCount()}));
  source = Prefetch(std::move(source));
  while (true) {
    PREON_ASSIGN_OR_RETURN(const std::optional<Batch> batch, source->Next());
    if (!batch) return Status::Ok();
    if (!trial.Wants()) continue;
    PREON_ASSIGN_OR_RETURN(const auto outputs, OutputsOf(session, job.context)(*batch));
    trial.Keep(*batch, outputs);
  }
}

bool WantsMeans(const PreparedModel& prepared, const Job& job) {
  return job.options.bias_correction && !MeanSources(prepared.model.graph, prepared.plan).empty();
}

Result<CalibrationData> CalibrateOrLoad(PreparedModel& prepared, Job& job, TrialSamples* trial,
                                        FloatOutputs& float_outputs, std::optional<PartialCalibration>& partial) {
  const bool has_means = !job.made_up_sample && WantsMeans(prepared, job);
  const bool may_do_without = job.saved || (!job.choices.target->NeedsStatistics(job.choices.plan) && !has_means);
  const bool complete = may_do_without && MissingRanges(prepared, job).empty();
  if (job.options.calib.empty() && !complete) {
    // Restored ranges make a pass of its own, over the tensors that lack them.
    if (!job.made_up_sample && !job.choices.method->collects() && !job.saved) partial.emplace(job.options);
    if (!job.made_up_sample) return CalibrateStage(prepared, job, trial, float_outputs, partial ? &*partial : nullptr);
    return Error(ErrorId::kMissingOption, job.options.save_and_restore, ": no range for '",
                 MissingRanges(prepared, job).front(), "' and others; wanted --data SRC to calibrate what is missing");
  }
  job.clock.Begin("load");
  CalibrationData data;
  if (!job.options.calib.empty()) {
    PREON_ASSIGN_OR_RETURN(data, LoadCalibration(job.options.calib, job.context.ThreadCount()));
    PREON_RETURN_IF_ERROR(CheckCalibrationFits(data, prepared, job));
  }
  const Status same = CheckRewrites(prepared, job);
  if (same.ok()) return data;
  if (same.id() != ErrorId::kPassFailed) return same;
  PREON_ASSIGN_OR_RETURN(prepared, PrepareVerifyingEachPass(prepared.model.source_path, job, same));
  PREON_RETURN_IF_ERROR(ApplySaved(job, prepared));
  return data;
}

// What options ask for beside the model.
Status WriteBeside(const QuantizeResult& result, const PreparedModel& prepared, const CalibrationData& data,
                   bool calibrated, Job& job) {
  const Options& options = job.options;
  if (!options.save_histograms.empty()) PREON_RETURN_IF_ERROR(SaveHistograms(data, job));
  if (!options.save_and_restore.empty() && calibrated) PREON_RETURN_IF_ERROR(WriteSaved(prepared, data, result, job));
  return options.report.empty() ? Status::Ok() : WriteReport(result, options.report);
}

}  // namespace

Result<QuantizeResult> QuantizeVerb(const std::string& model, Job& job) {
  const Options& options = job.options;
  PREON_RETURN_IF_ERROR(CheckOutputs("quantize", options, {model}));
  if (!job.open_samples) return MissingData("quantize", "--data SRC or --calib FILE");
  PREON_RETURN_IF_ERROR(LoadSaved(job));
  PREON_ASSIGN_OR_RETURN(PreparedModel prepared, PrepareModel(model, job));
  PREON_RETURN_IF_ERROR(ApplySaved(job, prepared));
  const int64_t missing = static_cast<int64_t>(MissingRanges(prepared, job).size());
  const std::string method(job.choices.method->name());
  std::optional<PartialCalibration> partial;  // where the pass keeps one
  TrialSamples trial;
  FloatOutputs float_outputs;
  const bool has_ranges = job.choices.target->NeedsStatistics(job.choices.plan);
  const bool tries = method == "auto" && has_ranges && !job.made_up_sample && !job.saved;
  PREON_ASSIGN_OR_RETURN(const CalibrationData data,
                         CalibrateOrLoad(prepared, job, tries ? &trial : nullptr, float_outputs, partial));
  PREON_RETURN_IF_ERROR(FallBackNotReached(data, job, prepared));
  ReleaseFreeMemory();
  std::vector<MethodCandidate> policies;
  if (tries) {
    if (!options.calib.empty()) PREON_RETURN_IF_ERROR(RunTrial(prepared, job, trial));
    job.clock.Begin("try");
    PREON_RETURN_IF_ERROR(CloseLoop(prepared, job, trial));
    PREON_ASSIGN_OR_RETURN(policies, ChooseMethod(prepared, data, trial, job));
    const auto best = std::ranges::max_element(policies, {}, &MethodCandidate::sqnr_db);
    if (best != policies.end()) {
      PREON_ASSIGN_OR_RETURN(const bool changed, FallBackBySensitivity(data, trial, best->sqnr_db, job, prepared));
      if (changed) {
        PREON_ASSIGN_OR_RETURN(policies, ChooseMethod(prepared, data, trial, job));
      }
    }
    trial.Clear();
  }
  PREON_ASSIGN_OR_RETURN(QuantizeResult result, QuantizeStage(prepared, data, float_outputs, job));
  result.policies = std::move(policies);
  if (job.saved) {
    result.restored_from = options.save_and_restore;
    result.restored_tensors = static_cast<int64_t>(prepared.plan.RangeTensors().size()) - missing;
    if (missing == 0) result.samples = job.saved->samples;
  }
  for (const auto& [tensor, activation] : prepared.plan.activations) {
    if (activation.inherited)
      result.inherited[tensor] = activation.shares.empty() ? activation.range_of : activation.shares;
  }
  result.model = model;
  result.output = options.output;
  result.float_size_bytes = prepared.source_size_bytes;
  result.quantized_size_bytes = FileSizeBytes(options.output);
  result.method = has_ranges ? method : "none";
  result.activation = job.choices.target->QuantizesActivations() ? options.plan.activation.name() : "float";
  result.weight = job.choices.plan.weight.name();
  result.scale_type = ScaleTypeName(options.plan.scale_type);
  result.weight_scale_type = ScaleTypeName(options.plan.scale_type_of_weights());
  WeightMethod weight_method = job.choices.plan.weight_rule.method_for(options.plan.scale_type_of_weights());
  result.weights_alone = !job.choices.target->QuantizesActivations();
  result.block_size = job.choices.plan.block_size.value_or(0);
  if (const NBitsPlan& nbits = prepared.plan.nbits; !nbits.nodes.empty()) {
    result.block_size = nbits.options.block_size;
    weight_method = nbits.options.least_squares ? WeightMethod::kMinMse : WeightMethod::kMinMax;
  }
  result.weight_method = WeightMethodName(weight_method);
  result.compat = CompatName(options.plan.compat);
  result.target = job.choices.target->name();
  result.random_data = options.calib.empty() && options.has_random_data();
  if (method == "auto" && has_ranges && result.policies.empty() && !job.saved)
    result.warnings.push_back("auto could not try several methods, for want of --data: each tensor's own rule");
  if (!has_ranges && job.made_up_sample && WantsMeans(prepared, job))
    result.warnings.push_back("biases do not take back what rounded weights shift, for want of --data");
  if (job.made_up_sample || (!options.calib.empty() && options.has_random_data()))
    result.warnings.push_back("compared on noise, for want of --data: error, agreement and latency say little");
  result.histograms = options.save_histograms;
  result.facts = job.clock.Finish("quantize");
  const Status beside = WriteBeside(result, prepared, data, missing > 0, job);
  std::error_code ignored;
  if (!beside.ok()) std::filesystem::remove(options.output, ignored);  // all that was asked for, or nothing
  PREON_RETURN_IF_ERROR(beside);
  if (partial) partial->Remove();
  return result;
}

}  // namespace preon
