#include "api/verbs.h"
#include "base/file.h"
#include "base/parallel.h"
#include "pipeline/calibrate_stage.h"
#include "pipeline/output.h"
#include "pipeline/select_ranges.h"
#include "pipeline/unreached.h"
#include "quantize/params/tensor_params.h"
#include "quantize/plan/plan_statistics.h"
#include "quantize/plan/quant_plan.h"
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
                                                 {!options.prepare.disabled_passes.empty(), "--disable-pass"},
                                                 {options.prepare.float16.has_value(), "--float16"},
                                                 {options.calibration.observe.mode != SketchMode::kSampled, "--exact"},
                                                 {!options.calibration.observe.optimize, "--no-optimize"}};
  for (const auto& [given, name] : unused) {
    if (given)
      return Error(ErrorId::kConflictingOptions, name, ": has no effect without --data, which goes with a model");
  }
  return Status::Ok();
}

using Methods = std::vector<const RangeMethod*>;

Methods MethodsOf(const Choices& choices) {
  Methods methods;
  for (const auto& method : choices.all_methods) methods.push_back(method.get());
  if (methods.empty()) methods.push_back(choices.method.get());
  return methods;
}

TensorRange ToResult(const Range& range, const QuantParams& params) {
  return {range.min, range.max, params.scale, params.zero_point};
}

// Of all methods, those that have no answer for the type are left out, with a warning; one alone fails.
bool IsLeftOut(const Status& status, const RangeMethod& method, const Job& job) {
  if (status.id() != ErrorId::kConflictingOptions || job.choices.all_methods.empty()) return false;
  job.context.Log(LogLevel::kWarning, StrCat("--all-methods: without ", method.name(), ": ", status.message()));
  return true;
}

Status AddRangesOfStatistics(const CalibrationData& data, Job& job, RangesResult& result) {
  const PlanOptions& plan = job.choices.plan;
  const Methods methods = MethodsOf(job.choices);
  PREON_ASSIGN_OR_RETURN(const IntFormat format, RangeFormat(plan));
  if (job.choices.method->collects()) return NeedsValues(job.choices.method->name());
  std::vector<std::pair<const std::string*, const TensorSketch*>> reached;
  for (const auto& [tensor, sketch] : data.tensors) {
    if (sketch.count() > 0) {
      reached.emplace_back(&tensor, &sketch);
    } else {  // in a branch that the data never took; quantize leaves it in float
      job.context.Log(LogLevel::kWarning, StrCat(tensor, ": the calibration data never reach it: no range"));
    }
  }
  std::vector<Result<Range>> ranges(methods.size() * reached.size(), Range{});
  OnThreads(static_cast<size_t>(job.context.ThreadCount()))(ranges.size(), [&](size_t i) {
    const TensorSketch& sketch = *reached[i % reached.size()].second;
    ranges[i] = methods[i / reached.size()]->Choose(sketch, {.format = format, .scale_type = plan.scale_type});
  });
  auto range = ranges.begin();
  for (const RangeMethod* method : methods) {
    RangesResult::OfMethod of_method{.method = std::string(method->name())};
    TensorParams tensor_params(plan.compat);
    bool left_out = false;
    for (const auto& [tensor, sketch] : reached) {
      const Result<Range>& chosen = *range++;
      left_out = left_out || (!chosen.ok() && IsLeftOut(chosen.status(), *method, job));
      if (left_out) continue;
      if (!chosen.ok()) return Status(chosen.status()).WithContext(*tensor);
      PREON_ASSIGN_OR_RETURN(const QuantParams params, tensor_params.Make(*tensor, *chosen, format, plan.scale_type));
      of_method.tensors[*tensor] = ToResult(*chosen, params);
    }
    if (!left_out) result.methods.push_back(std::move(of_method));
  }
  return Status::Ok();
}

// The tensors of the plan, each with its own format.
Status AddRangesOfModel(PreparedModel& prepared, const CalibrationData& data, Job& job, RangesResult& result) {
  PREON_RETURN_IF_ERROR(FallBackNotReached(data, job, prepared));
  for (const RangeMethod* method : MethodsOf(job.choices)) {
    const Result<PlanStatistics> statistics = StatisticsOf(prepared, data, *method, job);
    if (!statistics.ok() && IsLeftOut(statistics.status(), *method, job)) continue;
    if (!statistics.ok()) return statistics.status();
    RangesResult::OfMethod& of_method =
        result.methods.emplace_back(RangesResult::OfMethod{std::string(method->name()), {}});
    TensorParams tensor_params(job.choices.plan.compat);
    for (const auto& [tensor, range] : statistics->ranges) {
      const ActivationPlan& activation = prepared.plan.activations.at(tensor);
      PREON_ASSIGN_OR_RETURN(const QuantParams params,
                             tensor_params.Make(tensor, range, activation.format, activation.scale_type));
      of_method.tensors[tensor] = ToResult(range, params);
    }
  }
  return Status::Ok();
}

}  // namespace

Result<RangesResult> RangesVerb(const std::string& path, Job& job) {
  const Options& options = job.options;
  PREON_RETURN_IF_ERROR(CheckOutputs(options, {path}));
  RangesResult result{.activation = options.plan.activation.name(),
                      .scale_type = std::string(ScaleTypeName(options.plan.scale_type)),
                      .compat = std::string(CompatName(options.plan.compat)),
                      .all_methods = options.ranges.all_methods};
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
  for (RangesResult::OfMethod& of_method : result.methods) {
    for (const auto& [tensor, source] : data.shared) {
      const auto found = of_method.tensors.find(source);
      if (found != of_method.tensors.end()) of_method.tensors[tensor] = found->second;
    }
  }
  result.facts = job.clock.Finish("ranges");
  if (!options.output.empty()) PREON_RETURN_IF_ERROR(WriteFileAtomically(options.output, ToJson(result) + "\n"));
  return result;
}

}  // namespace preon
