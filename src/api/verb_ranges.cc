#include "api/calibrate_stage.h"
#include "api/output.h"
#include "api/plan_statistics.h"
#include "api/unreached.h"
#include "api/verbs.h"
#include "base/file.h"
#include "base/parallel.h"
#include "quantize/tensor_params.h"
#include "report/json.h"

namespace preon {
namespace {

// Statistics come with their samples and their plan.
Status CheckStatisticsAlone(const Options& options) {
  const std::pair<bool, const char*> unused[] = {{options.data.limit != -1, "--samples"},
                                                 {options.data.batch != 0, "--batch"},
                                                 {options.data.seed != 0, "--seed"},
                                                 {!options.data.preprocess.empty(), "--preprocess"},
                                                 {!options.data.labels.empty(), "--labels"},
                                                 {options.target.has_value(), "--target"},
                                                 {!options.plan.exclude.empty(), "--exclude"},
                                                 {!options.plan.exclude_types.empty(), "--exclude-type"},
                                                 {!options.disabled_passes.empty(), "--disable-pass"},
                                                 {options.float16.has_value(), "--float16"},
                                                 {options.sketch_mode != SketchMode::kSampled, "--exact"},
                                                 {!options.optimize_observed, "--no-optimize"}};
  for (const auto& [given, name] : unused) {
    if (given) return Error(ErrorId::kConflictingOptions, name, ": has no effect without --data, which goes with a model");
  }
  return Status::Ok();
}

TensorRange ToResult(const Range& range, const QuantParams& params) {
  return {range.min, range.max, params.scale, params.zero_point};
}

Status AddRangesOfStatistics(const CalibrationData& data, Job& job, RangesResult& result) {
  const PlanOptions& plan = job.choices.plan;
  const RangeMethod& method = *job.choices.method;
  PREON_ASSIGN_OR_RETURN(const IntFormat format, RangeFormat(plan));
  if (method.collects()) return NeedsValues(method.name());
  std::vector<std::pair<const std::string*, const TensorSketch*>> reached;
  for (const auto& [tensor, sketch] : data.tensors) {
    if (sketch.count() > 0) {
      reached.emplace_back(&tensor, &sketch);
    } else {  // in a branch that the data never took; quantize leaves it in float
      job.context.Log(LogLevel::kWarning, StrCat(tensor, ": the calibration data never reach it: no range"));
    }
  }
  std::vector<Result<Range>> ranges(reached.size(), Range{});
  OnThreads(static_cast<size_t>(job.context.ThreadCount()))(reached.size(), [&](size_t i) {
    ranges[i] = method.Choose(*reached[i].second, {.format = format, .scale_type = plan.scale_type});
  });
  TensorParams tensor_params(plan.compat);
  for (size_t i = 0; i < reached.size(); ++i) {
    const std::string& tensor = *reached[i].first;
    if (!ranges[i].ok()) return std::move(ranges[i]).status().WithContext(tensor);
    PREON_ASSIGN_OR_RETURN(const QuantParams params, tensor_params.Make(tensor, *ranges[i], format, plan.scale_type));
    result.tensors[tensor] = ToResult(*ranges[i], params);
  }
  return Status::Ok();
}

// The tensors of the plan, each with its own format.
Status AddRangesOfModel(PreparedModel& prepared, const CalibrationData& data, Job& job, RangesResult& result) {
  PREON_RETURN_IF_ERROR(LeaveUnreachedInFloat(data, job, prepared));
  PREON_ASSIGN_OR_RETURN(const PlanStatistics statistics, StatisticsOf(prepared, data, *job.choices.method, job));
  TensorParams tensor_params(job.choices.plan.compat);
  for (const auto& [tensor, range] : statistics.ranges) {
    const ActivationPlan& activation = prepared.plan.activations.at(tensor);
    PREON_ASSIGN_OR_RETURN(const QuantParams params,
                           tensor_params.Make(tensor, range, activation.format, activation.scale_type));
    result.tensors[tensor] = ToResult(range, params);
  }
  return Status::Ok();
}

}  // namespace

Result<RangesResult> RangesVerb(const std::string& path, Job& job) {
  const Options& options = job.options;
  PREON_RETURN_IF_ERROR(CheckOutputs(options, {path}));
  RangesResult result{.method = std::string(job.choices.method->name()),
                      .activation = options.plan.activation.name(),
                      .scale_type = std::string(ScaleTypeName(options.plan.scale_type)),
                      .compat = std::string(CompatName(options.plan.compat))};
  CalibrationData data;
  if (job.open_samples) {
    if (path.ends_with(".calib") || IsCalibFile(path))
      return Error(ErrorId::kConflictingOptions, "--data: has no effect on statistics, got ", path, "; wanted a model");
    PREON_ASSIGN_OR_RETURN(PreparedModel prepared, PrepareModel(path, job));
    FloatOutputs unused;
    PREON_ASSIGN_OR_RETURN(data, CalibrateStage(prepared, job, nullptr, unused, nullptr));
    job.clock.Begin("ranges");
    PREON_RETURN_IF_ERROR(AddRangesOfModel(prepared, data, job, result));
  } else {
    PREON_RETURN_IF_ERROR(CheckStatisticsAlone(options));
    job.clock.Begin("load");
    PREON_ASSIGN_OR_RETURN(data, LoadCalibration(path, job.context.ThreadCount()));
    job.clock.Begin("ranges");
    PREON_RETURN_IF_ERROR(AddRangesOfStatistics(data, job, result));
  }
  for (const auto& [tensor, source] : data.shared) {
    const auto found = result.tensors.find(source);
    if (found != result.tensors.end()) result.tensors[tensor] = found->second;
  }
  result.facts = job.clock.Finish("ranges");
  if (!options.output.empty()) PREON_RETURN_IF_ERROR(WriteFileAtomically(options.output, ToJson(result) + "\n"));
  return result;
}

}  // namespace preon
