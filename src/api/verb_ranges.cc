#include "api/verbs.h"
#include "base/output/atomic_file.h"
#include "base/parallel.h"
#include "pipeline/calibrate_stage.h"
#include "pipeline/fallback_planner.h"
#include "pipeline/output.h"
#include "pipeline/select_ranges.h"
#include "quantize/params/tensor_params.h"
#include "quantize/plan/quant_plan.h"
#include "ranges/refine/choose_range.h"
#include "report/json.h"

namespace preon {
namespace {

// Statistics come with their samples and their plan.
Status CheckStatisticsAlone(const Options& options) {
  const std::pair<bool, const char*> unused[] = {{options.data.limit != -1, "--samples"},
                                                 {options.data.batch != 0, "--batch"},
                                                 {options.data.random.seed != 0, "--seed"},
                                                 {!options.data.preprocess.empty(), "--preprocess"},
                                                 {!options.data.labels.empty(), "--labels"},
                                                 {options.target.has_value(), "--target"},
                                                 {!options.plan.exclude.names.empty(), "--exclude"},
                                                 {!options.plan.exclude.types.empty(), "--exclude-type"},
                                                 {!options.prepare.passes.disabled.empty(), "--disable-pass"},
                                                 {options.prepare.float16.has_value(), "--float16"},
                                                 {options.calibration.observe.mode != SketchMode::kSampled, "--exact"},
                                                 {!options.calibration.observe.optimize, "--no-optimize"}};
  for (const auto& [given, name] : unused) {
    if (given)
      return Error(ErrorId::kConflictingOptions, name, ": has no effect on a .calib file; wanted a model with --data");
  }
  return Status::Ok();
}

using Methods = std::vector<const RangeMethod*>;

using OwnedMethods = std::vector<std::unique_ptr<RangeMethod>>;

// All, where they were asked for.
Methods MethodsOf(const OwnedMethods& all, const RangeMethod& one) {
  Methods methods;
  for (const auto& method : all) methods.push_back(method.get());
  if (methods.empty()) methods.push_back(&one);
  return methods;
}

TensorRange ToResult(const Range& range, const QuantParams& params) {
  return {range.min, range.max, params.scale, params.zero_point};
}

// Of all methods, those that have no answer for the type are left out, with a warning; one alone fails.
bool IsLeftOut(const Status& status, const RangeMethod& method, bool all_methods, const RunContext& context) {
  if (status.id() != ErrorId::kConflictingOptions || !all_methods) return false;
  context.Log(LogLevel::kWarning, StrCat("--all-methods: ", method.name(), " left out: ", status.message()));
  return true;
}

Status AddRangesOfStatistics(const CalibrationData& data, const Methods& methods, const RangeQuery& wanted,
                             Compat compat, const RunContext& context, RangesResult& result) {
  std::vector<std::pair<const std::string*, const TensorSketch*>> reached;
  for (const auto& [tensor, sketch] : data.tensors) {
    if (sketch.count() > 0) {
      reached.emplace_back(&tensor, &sketch);
    } else {  // in a branch that the data never took; quantize leaves it in float
      context.Log(LogLevel::kWarning, StrCat(tensor, ": the calibration data never reach it: no range"));
    }
  }
  std::vector<Result<Range>> ranges(methods.size() * reached.size(), Range{});
  OnThreads(static_cast<size_t>(context.ThreadCount()))(ranges.size(), [&](size_t i) {
    const auto& [tensor, sketch] = reached[i % reached.size()];
    const auto known = data.contexts.find(*tensor);
    ranges[i] = ChooseRange(*methods[i / reached.size()], *sketch, wanted,
                            known == data.contexts.end() ? TensorContext() : known->second);
  });
  auto range = ranges.begin();
  for (const RangeMethod* method : methods) {
    RangesResult::OfMethod of_method{.method = std::string(method->name())};
    TensorParams tensor_params(compat);
    bool left_out = false;
    for (const auto& [tensor, sketch] : reached) {
      const Result<Range>& chosen = *range++;
      left_out = left_out || (!chosen.ok() && IsLeftOut(chosen.status(), *method, result.all_methods, context));
      if (left_out) continue;
      if (!chosen.ok()) return Status(chosen.status()).WithContext(*tensor);
      PREON_ASSIGN_OR_RETURN(const QuantParams params,
                             tensor_params.Make(*tensor, *chosen, wanted.format, wanted.scale_type));
      of_method.tensors[*tensor] = ToResult(*chosen, params);
    }
    if (!left_out) result.methods.push_back(std::move(of_method));
  }
  return Status::Ok();
}

// The tensors of the plan, each with its own format.
Status AddRangesOfModel(PreparedModel& prepared, const Calibration& calibration, const Choices& choices,
                        const RunContext& context, RangesResult& result) {
  const PlanInputs inputs{.data = calibration.data,
                          .collected_ranges = calibration.collected_ranges ? &*calibration.collected_ranges : nullptr,
                          .own_method = choices.own_method,
                          .algorithms = choices.algorithms,
                          .passes = QdqPassesOf(choices.passes)};
  PREON_RETURN_IF_ERROR(
      FallbackPlanner(*choices.target, choices.plan, calibration.data, nullptr).LeaveNotReached(prepared));
  for (const RangeMethod* method : MethodsOf(choices.all_methods, *choices.method)) {
    const Result<TensorRanges> ranges = SelectRanges(prepared.model.graph, prepared.plan, *method, inputs, context);
    if (!ranges.ok() && IsLeftOut(ranges.status(), *method, result.all_methods, context)) continue;
    if (!ranges.ok()) return ranges.status();
    RangesResult::OfMethod& of_method =
        result.methods.emplace_back(RangesResult::OfMethod{std::string(method->name()), {}});
    TensorParams tensor_params(choices.plan.compat);
    for (const auto& [tensor, range] : *ranges) {
      const ActivationPlan& activation = prepared.plan.activations.at(tensor);
      PREON_ASSIGN_OR_RETURN(const QuantParams params,
                             tensor_params.Make(tensor, range, activation.format, activation.scale_type));
      of_method.tensors[tensor] = ToResult(range, params);
    }
  }
  return Status::Ok();
}

}  // namespace

Result<RangesResult> RangesVerb(const std::string& path, RunInputs& run) {
  const Options& options = run.options;
  PREON_RETURN_IF_ERROR(CheckOutputs(options, {path}));
  RangesResult result{.activation = options.plan.activation.name(),
                      .scale_type = std::string(ScaleTypeName(options.plan.scale_type)),
                      .compat = std::string(CompatName(options.plan.compat)),
                      .all_methods = options.ranges.all_methods};
  Calibration calibration;
  if (run.samples.open) {
    if (path.ends_with(".calib") || IsCalibFile(path)) {
      return Error(ErrorId::kConflictingOptions, "--data: has no effect on statistics, got ", path, "; wanted a model");
    }
    const ModelPreparation preparation = run.Preparation();
    PREON_ASSIGN_OR_RETURN(PreparedModel prepared, preparation.Prepare(path));
    PREON_RETURN_IF_ERROR(CheckNotInputs(options.outputs, prepared.external_files));
    PREON_ASSIGN_OR_RETURN(calibration, run.Calibration(preparation).Run(prepared, {}));
    run.context.BeginStage("ranges");
    PREON_RETURN_IF_ERROR(AddRangesOfModel(prepared, calibration, run.choices, run.context, result));
  } else {
    PREON_RETURN_IF_ERROR(CheckStatisticsAlone(options));
    run.context.BeginStage("load");
    PREON_ASSIGN_OR_RETURN(calibration.data, LoadCalibration(path, run.context.ThreadCount()));
    run.context.BeginStage("ranges");
    const PlanOptions& plan = run.choices.plan;
    PREON_ASSIGN_OR_RETURN(const IntFormat format, RangeFormat(plan.activation, plan.activation_symmetric));
    if (run.choices.method->collects()) return NeedsValues(run.choices.method->name());
    PREON_RETURN_IF_ERROR(AddRangesOfStatistics(calibration.data,
                                                MethodsOf(run.choices.all_methods, *run.choices.method),
                                                {format, plan.scale_type}, plan.compat, run.context, result));
  }
  for (RangesResult::OfMethod& of_method : result.methods) {
    for (const auto& [tensor, source] : calibration.data.shared) {
      const auto found = of_method.tensors.find(source);
      if (found != of_method.tensors.end()) of_method.tensors[tensor] = found->second;
    }
  }
  result.facts = RunFactsOf(run.context, "ranges", calibration.workers_peak_rss_bytes);
  if (!options.outputs.file.empty())
    PREON_RETURN_IF_ERROR(WriteFileAtomically(options.outputs.file, ToJson(result) + "\n"));
  return result;
}

}  // namespace preon
