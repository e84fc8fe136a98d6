#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "api/verbs.h"
#include "base/output/atomic_file.h"
#include "base/spelling.h"
#include "config/resolve/crypto_mode.h"
#include "ir/model_io.h"
#include "pipeline/calibrate_stage.h"
#include "pipeline/calibration_setup.h"
#include "pipeline/fallback_planner.h"
#include "pipeline/output.h"
#include "pipeline/plan_inputs.h"
#include "pipeline/select_ranges.h"
#include "quantize/params/tensor_params.h"
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
                                                 {options.calibration.all_tensors, "--all-tensors"},
                                                 {!options.plan.exclude.names.empty(), "--exclude"},
                                                 {!options.plan.exclude.types.empty(), "--exclude-type"},
                                                 {!options.plan.passthrough.empty(), "--passthrough"},
                                                 {!options.prepare.fixed_shapes.empty(), "--fix-shape"},
                                                 {options.prepare.opset != 0, "--opset"},
                                                 {!options.prepare.passes.disabled.empty(), "--disable-pass"},
                                                 {!options.prepare.passes.enabled.empty(), "--enable-pass"},
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

// Of all methods, those that have no answer for the type are left out, with a warning; one alone fails.
bool IsLeftOut(const Status& status, const RangeMethod& method, bool all_methods, const RunContext& context) {
  if (status.id() != ErrorId::kConflictingOptions || !all_methods) return false;
  context.Log(LogLevel::kWarning, StrCat("--all-methods: ", method.name(), " left out: ", status.message()));
  return true;
}

// As they were planned when the statistics were made, but for what the options say now. Tensors that are in no plan,
// such as those that only algorithms asked for, have the type of the options.
PlannedRanges PlannedOfStatistics(const CalibrationData& data, const RangeQuery& of_options, const GivenTypes& given,
                                  std::optional<bool> symmetric) {
  PlannedRanges ranges = data.planned;
  for (auto& [tensor, range] : ranges) {
    // The same type again keeps the symmetry that the target gave it.
    if (given.activation && range.query.format.type != of_options.format.type) range.query.format = of_options.format;
    if (given.scale_type) range.query.scale_type = of_options.scale_type;
    if (symmetric && !range.query.format.floating()) range.query.format.symmetric = *symmetric;
  }
  for (const auto& [tensor, sketch] : data.tensors)
    ranges.try_emplace(tensor, PlannedRange{.observed = tensor, .query = of_options});
  return ranges;
}

// Names of the types and of the scales' types, several where tensors differ.
std::pair<std::string, std::string> TypesOf(const PlannedRanges& planned) {
  std::set<std::string> types, scale_types;
  for (const auto& [tensor, range] : planned) {
    types.insert(TensorType(range.query.format.type).name());
    scale_types.emplace(ScaleTypeName(range.query.scale_type));
  }
  const auto join = [](const std::set<std::string>& names) {
    return JoinNames(std::vector<std::string>(names.begin(), names.end()));
  };
  return {join(types), join(scale_types)};
}

// In branches that the data never took; quantize leaves them in float.
void LeaveOutNotReached(const CalibrationData& data, PlannedRanges& planned, const RunContext& context) {
  std::erase_if(planned, [&](const auto& range) {
    const bool reached = data.tensors.at(range.second.observed).count() > 0;
    if (!reached)
      context.Log(LogLevel::kWarning, StrCat(range.first, ": no range, because no calibration sample reaches it"));
    return !reached;
  });
}

Status AddRanges(const PlannedRanges& planned, const PlanInputs& inputs, const Methods& methods, Compat compat,
                 const RunContext& context, RangesResult& result) {
  for (const RangeMethod* method : methods) {
    const Result<TensorRanges> ranges = SelectRanges(planned, *method, inputs, context);
    if (!ranges.ok() && IsLeftOut(ranges.status(), *method, result.all_methods, context)) continue;
    if (!ranges.ok()) return ranges.status();
    RangesResult::OfMethod& of_method =
        result.methods.emplace_back(RangesResult::OfMethod{std::string(method->name()), {}});
    TensorParams tensor_params(compat);
    for (const auto& [tensor, range] : *ranges) {
      const auto& [format, scale_type] = planned.at(tensor).query;
      PREON_ASSIGN_OR_RETURN(const QuantParams params, tensor_params.Make(tensor, range, format, scale_type));
      of_method.tensors[tensor] = {range.min, range.max, params.scale, params.zero_point};
    }
  }
  return Status::Ok();
}

}  // namespace

Result<RangesResult> RangesVerb(const std::string& path, RunInputs& run) {
  PREON_RETURN_IF_ERROR(RefuseCryptoMode("ranges", run.options.crypto));
  const Options& options = run.options;
  PREON_RETURN_IF_ERROR(CheckOutputs(options, {path}));
  RangesResult result{.compat = std::string(CompatName(options.plan.compat)),
                      .all_methods = options.ranges.all_methods};
  Calibration calibration;
  PlannedRanges planned;
  if (run.samples.open) {
    if (path.ends_with(".calib") || IsCalibFile(path)) {
      return Error(ErrorId::kConflictingOptions, "--data: has no effect on statistics, got ", path, "; wanted a model");
    }
    const ModelPreparation preparation = run.Preparation();
    PREON_ASSIGN_OR_RETURN(PreparedModel prepared, preparation.Prepare(path));
    PREON_RETURN_IF_ERROR(CheckNotInputs(options.outputs, prepared.external_files));
    if (options.calibration.all_tensors) {
      const PlanOptions& plan = run.choices.plan;
      PREON_ASSIGN_OR_RETURN(const IntFormat format, RangeFormat(plan.activation, plan.activation_symmetric));
      PlanAllTensors(prepared.model.graph, {format, plan.scale_type}, prepared.plan);
    }
    PREON_ASSIGN_OR_RETURN(calibration, run.Calibration(preparation).Run(prepared, {}));
    if (!options.calibration.all_tensors)
      PREON_RETURN_IF_ERROR(
          FallbackPlanner(*run.choices.target, run.choices.plan, calibration.data, nullptr).LeaveNotReached(prepared));
    planned = PlanRanges(prepared.model.graph, prepared.plan);
    LeaveOutNotReached(calibration.data, planned, run.context);
  } else {
    PREON_RETURN_IF_ERROR(CheckStatisticsAlone(options));
    if (!path.ends_with(".calib") && !IsCalibFile(path) && LoadModel(path).ok())
      return MissingData("ranges", "--data SRC for the ranges of a model, or a .calib file");
    if (run.choices.method->collects()) return NeedsValues(run.choices.method->name());
    run.context.BeginStage("load");
    PREON_ASSIGN_OR_RETURN(calibration.data, LoadCalibration(path, run.context.ThreadCount()));
    const PlanOptions& plan = options.plan;
    const std::string warning = WarningOfCompat(calibration.data, plan.compat, path);
    if (!warning.empty()) run.context.Log(LogLevel::kWarning, warning);
    PREON_ASSIGN_OR_RETURN(const IntFormat format, RangeFormat(plan.activation, plan.activation_symmetric));
    GivenTypes given = options.given_types;
    // The type that calibration was asked for stays what its target has made of it.
    if (calibration.data.activation == plan.activation.name()) given.activation = false;
    planned = PlannedOfStatistics(calibration.data, {format, plan.scale_type}, given, plan.activation_symmetric);
    LeaveOutNotReached(calibration.data, planned, run.context);
  }
  run.context.BeginStage("ranges");
  const PlanInputs inputs{.data = calibration.data,
                          .collected_ranges = calibration.collected_ranges ? &*calibration.collected_ranges : nullptr,
                          .own_method = run.choices.own_method,
                          .algorithms = run.choices.algorithms.list,
                          .passes = QdqPassesOf(run.choices.passes)};
  PREON_RETURN_IF_ERROR(AddRanges(planned, inputs, MethodsOf(run.choices.all_methods, *run.choices.method),
                                  run.choices.plan.compat, run.context, result));
  std::tie(result.activation, result.scale_type) = TypesOf(planned);
  for (RangesResult::OfMethod& of_method : result.methods) {
    for (const auto& [tensor, source] : calibration.data.shared) {
      const auto found = of_method.tensors.find(source);
      if (found != of_method.tensors.end()) of_method.tensors[tensor] = found->second;
    }
  }
  WarnOfRandom(options.data.from, options.eval_data, "these ranges", result.warnings);
  result.facts = RunFactsOf(run.context, "ranges", calibration.workers_peak_rss_bytes);
  if (!options.outputs.file.empty())
    PREON_RETURN_IF_ERROR(WriteFileAtomically(options.outputs.file, RangesFile(result)));
  return result;
}

}  // namespace preon
