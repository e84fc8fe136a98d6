#include <algorithm>
#include <filesystem>

#include "api/calibrate_stage.h"
#include "api/choose_policy.h"
#include "api/drowned.h"
#include "api/output.h"
#include "api/quantize_stage.h"
#include "api/trial.h"
#include "api/unreached.h"
#include "api/verbs.h"
#include "base/system.h"
#include "report/report_file.h"

namespace preon {
namespace {

// Statistics from a file: the float model runs over the samples for the trial alone.
Status RunTrial(const PreparedModel& prepared, Job& job, TrialSamples& trial) {
  job.clock.Begin("try");
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, job.open_samples(prepared.inputs));
  PREON_ASSIGN_OR_RETURN(Session session, Session::OpenFile(prepared.model.source_path,
                                                            {.threads = job.context.ThreadCount()}));
  source = Prefetch(std::move(source));
  while (true) {
    PREON_ASSIGN_OR_RETURN(const std::optional<Batch> batch, source->Next());
    if (!batch) return Status::Ok();
    if (!trial.Wants()) continue;
    PREON_ASSIGN_OR_RETURN(const auto outputs, session.Run(batch->feeds, job.context));
    trial.Keep(*batch, outputs);
  }
}

Result<CalibrationData> CalibrateOrLoad(PreparedModel& prepared, Job& job, TrialSamples* trial,
                                        FloatOutputs& float_outputs) {
  if (job.options.calib.empty()) return CalibrateStage(prepared, job, trial, float_outputs);
  job.clock.Begin("load");
  PREON_ASSIGN_OR_RETURN(CalibrationData data, LoadCalibration(job.options.calib));
  PREON_RETURN_IF_ERROR(CheckCalibrationFits(data, prepared, job.options.calib));
  const Status same = CheckRewrites(prepared, job);
  if (same.ok()) return data;
  if (same.id() != ErrorId::kPassFailed) return same;
  PREON_ASSIGN_OR_RETURN(prepared, PrepareWithCare(prepared.model.source_path, job, same));
  return data;
}

}  // namespace

Result<QuantizeResult> QuantizeVerb(const std::string& model, Job& job) {
  const Options& options = job.options;
  PREON_RETURN_IF_ERROR(CheckOutputs("quantize", options, {model}));
  if (!job.open_samples) return MissingData("quantize", "--data SRC or --calib FILE");
  PREON_ASSIGN_OR_RETURN(PreparedModel prepared, PrepareModel(model, job));
  const std::string method(job.choices.method->name());
  TrialSamples trial;
  FloatOutputs float_outputs;
  const bool tries = method == "auto" && !job.made_up_sample;
  PREON_ASSIGN_OR_RETURN(const CalibrationData data, CalibrateOrLoad(prepared, job, tries ? &trial : nullptr, float_outputs));
  PREON_RETURN_IF_ERROR(LeaveUnreachedInFloat(data, job, prepared));
  ReleaseFreeMemory();
  std::vector<PolicyTrial> policies;
  if (tries) {
    if (!options.calib.empty()) PREON_RETURN_IF_ERROR(RunTrial(prepared, job, trial));
    job.clock.Begin("try");
    PREON_RETURN_IF_ERROR(CloseLoop(prepared, job, trial));
    PREON_ASSIGN_OR_RETURN(policies, ChoosePolicy(prepared, data, trial, job));
    const auto best = std::ranges::max_element(policies, {}, &PolicyTrial::sqnr_db);
    if (best != policies.end()) {
      PREON_ASSIGN_OR_RETURN(const bool changed, LeaveDrownedInFloat(data, trial, best->sqnr_db, job, prepared));
      if (changed) {
        PREON_ASSIGN_OR_RETURN(policies, ChoosePolicy(prepared, data, trial, job));
      }
    }
    trial.Clear();
  }
  PREON_ASSIGN_OR_RETURN(QuantizeResult result, QuantizeStage(prepared, data, float_outputs, job));
  result.policies = std::move(policies);
  result.model = model;
  result.output = options.output;
  result.float_size_bytes = prepared.source_size_bytes;
  result.quantized_size_bytes = FileSizeBytes(options.output);
  result.method = method;
  result.activation = DataTypeName(options.plan.activation);
  result.weight = DataTypeName(options.plan.weight);
  result.scale_type = ScaleTypeName(options.plan.scale_type);
  result.weight_scale_type = ScaleTypeName(options.plan.scale_type_of_weights());
  result.weight_method = WeightMethodName(job.choices.plan.weight_rule.method_for(options.plan.scale_type_of_weights()));
  result.compat = CompatName(options.plan.compat);
  result.target = job.choices.target->name();
  result.random_data = options.calib.empty() && options.has_random_data();
  if (method == "auto" && result.policies.empty())
    result.warnings.push_back("auto could not try several methods, for want of --data: each tensor's own rule");
  if (job.made_up_sample || (!options.calib.empty() && options.has_random_data()))
    result.warnings.push_back("compared on noise, for want of --data: error, agreement and latency say little");
  result.facts = job.clock.Finish("quantize");
  if (options.report.empty()) return result;
  const Status reported = WriteReport(result, options.report);
  std::error_code ignored;
  if (!reported.ok()) std::filesystem::remove(options.output, ignored);  // all that was asked for, or nothing
  PREON_RETURN_IF_ERROR(reported);
  return result;
}

}  // namespace preon
