#include "api/options.h"

#include <algorithm>
#include <span>
#include <utility>

#include "api/tensor_overrides.h"
#include "quantize/overrides.h"
#include "quantize/passthrough.h"
#include "ranges/compat/reference_method.h"
#include "report/report_file.h"

namespace preon {

bool Options::has_random_data() const {
  const auto random = [](const std::string& source) { return source.starts_with("random:"); };
  return (!has_sources() && data.random_samples > 0) || std::ranges::any_of(data.sources, random) ||
         std::ranges::any_of(data.inputs, [&](const auto& input) { return random(input.second); });
}

namespace {

// Statistics from a file come with their samples: options about these would be ignored.
Status CheckCalibAlone(const Options& options) {
  const DataOptions& data = options.data;
  const std::pair<bool, const char*> unused[] = {{options.sketch_mode != SketchMode::kSampled, "--exact"},
                                                 {!options.optimize_observed, "--no-optimize"},
                                                 {!options.has_data() && !data.only.empty(), "--only"},
                                                 {options.workers > 1, "--workers"},
                                                 {options.calib_samples != -1, "--calib-samples"},
                                                 {!options.has_data() && data.limit != -1, "--samples"},
                                                 {!options.has_data() && data.batch != 0, "--batch"},
                                                 {!options.has_data() && data.seed != 0, "--seed"},
                                                 {!options.has_data() && !data.preprocess.empty(), "--preprocess"},
                                                 {!options.has_data() && !data.labels.empty(), "--labels"}};
  for (const auto& [given, name] : unused) {
    if (!given) continue;
    return Error(ErrorId::kConflictingOptions, name, ": has no effect with --calib",
                 options.has_data() ? "" : " and no --data");
  }
  return Status::Ok();
}

Status CheckScaleTypes(const Options& options) {
  const PlanOptions& plan = options.plan;
  const bool power_of_two_weights = plan.scale_type_of_weights() == ScaleType::kPowerOfTwo;
  const bool searches =
      plan.weight_rule.method_for(plan.scale_type_of_weights()) == WeightMethod::kMinMse && !power_of_two_weights;
  if (plan.weight_rule.search && !searches) {
    return Error(ErrorId::kConflictingOptions, "--weight-search: has no effect ",
                 power_of_two_weights ? "on power-of-two scales, which have candidates of their own"
                                      : "without --weight-method minmse");
  }
  // Int16 scales end at 2^-15; a 32-bit code that small would need ranges of more than 65536.
  if (plan.scale_type == ScaleType::kInt16 && DataTypeBits(plan.activation.type()) == 32) {
    return Error(ErrorId::kConflictingOptions, "--scale-type int16: has no scales for --activation ",
                 plan.activation.name(), ", wanted float32 or power-of-two");
  }
  return Status::Ok();
}

// ONNX Runtime's quantizer has no other scales, and no search.
Status CheckRuntimeHas(const PlanOptions& plan) {
  if (plan.scale_type != ScaleType::kFloat32 || plan.scale_type_of_weights() != ScaleType::kFloat32)
    return Error(ErrorId::kConflictingOptions, "--compat onnxruntime: it has float scales only, wanted --scale-type float32");
  if (plan.weight_rule.method == WeightMethod::kMinMse)
    return Error(ErrorId::kConflictingOptions, "--compat onnxruntime: it does not search weights, wanted --weight-method minmax");
  return Status::Ok();
}

// A target that never has any leaves nothing for a method to choose.
bool ChoosesRanges(const Options& options, const Builtins& builtins) {
  if (!options.target) return true;
  const Result<const Target*> target = builtins.targets.Find(*options.target);
  return !target.ok() || (*target)->NeedsStatistics(PlanOptions{});
}

Result<std::unique_ptr<RangeMethod>> WithOptions(const Options& options, const RangeMethod& method, const MethodOptions& settings) {
  const PlanOptions& plan = options.plan;
  if (plan.compat == Compat::kOff) return method.WithOptions(settings);
  if (plan.compat == Compat::kOnnxRuntime) PREON_RETURN_IF_ERROR(CheckRuntimeHas(plan));
  for (const TensorType& type : {plan.activation, options.weight.value_or(plan.weight)}) {
    if (!IsIntType(type.type()))
      return Error(ErrorId::kConflictingOptions, "--compat: integer types only, got ", type.name());
  }
  return compat::MakeReferenceMethod(plan.compat, method.name(), settings, plan.activation.type());
}

// Keys that the method has not are without effect, as in the reference; its own options are errors.
Result<std::unique_ptr<RangeMethod>> ConfiguredMethod(const Options& options, const RangeMethod& method, MethodOptions settings,
                                                      std::vector<std::string>* warnings) {
  for (const auto& [name, value] : options.method_keys) {
    if (settings.contains(name)) continue;
    if (WithOptions(options, method, {{name, value}}).status().id() != ErrorId::kUnknownOption) {
      settings[name] = value;
    } else if (warnings != nullptr) {
      warnings->push_back(StrCat(name, ": has no effect on method ", method.name()));
    }
  }
  return WithOptions(options, method, settings);
}

// With --compat weights follow the method of the activations: searched where those are.
PlanOptions ResolvedPlan(const Options& options, const RangeMethod& method) {
  PlanOptions plan = options.plan;
  if (plan.compat == Compat::kOff || plan.weight_rule.method) return plan;
  const bool searches = method.name() == "minmse" && plan.scale_type_of_weights() == ScaleType::kPowerOfTwo;
  plan.weight_rule.method = searches ? WeightMethod::kMinMse : WeightMethod::kMinMax;
  return plan;
}

// Options without effect are errors: those of ranges where nothing has any, those of another kind of target or type.
Status CheckFitsTarget(const Options& options, const PlanOptions& plan, const Target& target) {
  const PlanOptions unset;
  const std::pair<bool, const char*> of_ranges[] = {
      {options.method != "auto", "--method"},
      {!options.method_options.empty(), "--method-option"},
      {!options.calib.empty(), "--calib"},
      {!plan.passthrough.empty(), "--passthrough"},
      {options.format.has_value(), "--format"},
      {!options.bias_correction, "--no-bias-correction"},
      {!options.channel_scales, "--no-channel-scales"},
      {options.sketch_mode != SketchMode::kSampled, "--exact"},
      {!options.optimize_observed, "--no-optimize"},
      {options.calib_samples != -1, "--calib-samples"},
      {options.workers > 1, "--workers"},
      {!options.save_histograms.empty(), "--save-histograms"},
      {!options.save_and_restore.empty(), "--save-and-restore"}};
  // Of targets that also write activations.
  const std::pair<bool, const char*> of_activations[] = {
      {plan.activation != unset.activation, "--activation"},
      {plan.activation_symmetric.has_value(), "--symmetric"},
      {plan.scale_type != unset.scale_type, "--scale-type"},
      {plan.weight_scale_type.has_value(), "--weight-scale-type"},
      {plan.weight_rule.search.has_value(), "--weight-search"},
      {plan.compat != Compat::kOff, "--compat"},
      {!plan.per_channel, "--per-tensor"},
      {plan.weight_form.has_value(), "--weight-form"},
      {HasOverrides(plan), "settings of layers or single tensors"}};
  const std::pair<bool, const char*> of_blocks[] = {{plan.accuracy_level.has_value(), "--accuracy-level"}};
  const auto refuse = [](std::span<const std::pair<bool, const char*>> unused, const std::string& with) {
    for (const auto& [given, name] : unused) {
      if (given) return Error(ErrorId::kConflictingOptions, name, ": has no effect with ", with);
    }
    return Status::Ok();
  };
  const std::string with_target = StrCat("--target ", target.name());
  if (!options.layout_settings.empty() && !target.HasLayout()) {
    return Error(ErrorId::kConflictingOptions, options.layout_settings[0], ": has no effect with ", with_target)
        .WithHint("--target quark has the layout that it is about");
  }
  if (!target.NeedsStatistics(plan)) {
    const bool by_type = target.NeedsStatistics(unset);
    PREON_RETURN_IF_ERROR(refuse(of_ranges, by_type ? StrCat("--activation ", plan.activation.name()) : with_target));
  }
  const auto is_byte = [](const TensorType& type) { return type == DataType::kInt8 || type == DataType::kUInt8; };
  if (options.format == QuantFormat::kQOperator && !(is_byte(plan.activation) && is_byte(plan.weight))) {
    return Error(ErrorId::kConflictingOptions, "--format qoperator: integer operators have int8 and uint8 alone, got ",
                 plan.activation.name(), " and ", plan.weight.name());
  }
  return target.QuantizesActivations() ? refuse(of_blocks, with_target) : refuse(of_activations, with_target);
}

// Options of single types.
Status CheckTypeOptions(const PlanOptions& plan) {
  if (plan.activation_scaled && !IsHalf(plan.activation))
    return Error(ErrorId::kConflictingOptions, "--activation-scaled: has no effect on ", plan.activation.name(), "; wanted float16 or bfloat16");
  if (plan.weight_scaled && !IsHalf(plan.weight))
    return Error(ErrorId::kConflictingOptions, "--weight-scaled: has no effect on ", plan.weight.name(), "; wanted float16 or bfloat16");
  const std::vector<TensorType> types = TypesOf(plan);
  const bool has_bfloat16 = std::ranges::find(types, TensorType(DataType::kBFloat16)) != types.end();
  const BFloat16Options& how = plan.bfloat16;
  if ((how.casts || how.clip || how.vaiml) && !has_bfloat16)
    return Error(ErrorId::kConflictingOptions, "--bfloat16: has no effect on ", plan.activation.name(), " and ",
                 plan.weight.name());
  const bool activation = HasScale(plan.activation, plan.activation_scaled) || HasOverrides(plan);
  const bool weight = HasScale(plan.weight, plan.weight_scaled) || HasOverrides(plan);
  for (const auto& [given, with, name] :
       {std::tuple(plan.activation_symmetric.has_value(), activation, "--symmetric"),
        std::tuple(!plan.per_channel, weight, "--per-tensor"),
        std::tuple(plan.weight_rule.method.has_value() && plan.compat == Compat::kOff, weight, "--weight-method"),
        std::tuple(plan.weight_scale_type.has_value(), weight, "--weight-scale-type"),
        std::tuple(plan.scale_type != ScaleType::kFloat32, activation || weight, "--scale-type")}) {
    if (given && !with)
      return Error(ErrorId::kConflictingOptions, name, ": has no effect on ", plan.activation.name(), " and ", plan.weight.name());
  }
  if (plan.block_size && !plan.per_channel)
    return Error(ErrorId::kConflictingOptions, "--per-tensor and --block-size: got both, wanted one");
  if (how.vaiml && plan.weight_form)
    return Error(ErrorId::kConflictingOptions, "--weight-form: has no effect with --bfloat16 vaiml, which folds weights");
  const bool has_blocks = std::ranges::any_of(types, [](const TensorType& type) { return type.block() != nullptr; });
  if (!plan.refine_block_axis && !has_blocks)
    return Error(ErrorId::kConflictingOptions, "--keep-block-axis: has no effect without a block format");
  return Status::Ok();
}

// Block types get the attributes of their operator. Attributes of an operator that no type has are an error.
Status SetAttributes(const Options& options, PlanOptions& plan) {
  for (const bool mx : {false, true}) {
    const BlockAttributes& attributes = mx ? options.mx_attributes : options.bfp_attributes;
    if (attributes.empty()) continue;
    const char* option = mx ? "--mx-attribute" : "--bfp-attribute";
    bool used = false;
    for (TensorType* type : TypesOf(plan)) {
      if (type->block() == nullptr || (type->block()->family == BlockSpec::Family::kMx) != mx) continue;
      Result<BlockSpec> spec = WithAttributes(*type->block(), attributes);
      if (!spec.ok()) return std::move(spec).status().WithContext(option);
      *type = TensorType(*spec);
      used = true;
    }
    if (!used)
      return Error(ErrorId::kConflictingOptions, option, ": has no effect on ", plan.activation.name(), " and ", plan.weight.name());
  }
  return Status::Ok();
}

// The one asked for, or the first of those that quantize activations and take the types.
Result<const Target*> TargetFor(const Options& options, const PlanOptions& plan, const Builtins& builtins) {
  if (options.target) return builtins.targets.Find(*options.target);
  for (const auto& target : builtins.targets.entries()) {
    if (target->QuantizesActivations() && target->Takes(plan)) return target.get();
  }
  return builtins.targets.entries().front().get();   // which says what it has
}

// Of methods that want all values in the data's order.
Status CheckInOrder(const Options& options) {
  for (const auto& [given, name] : {std::pair(options.workers > 1, "--workers"),
                                    std::pair(!options.save_and_restore.empty(), "--save-and-restore")}) {
    if (given)
      return Error(ErrorId::kConflictingOptions, name, ": not with a method that depends on the order of the samples (",
                   options.method, "): they have to run in one pass");
  }
  return Status::Ok();
}

Status CheckRandom(const Options& options, std::vector<std::string>& warnings) {
  const RandomValues& random = options.data.random;
  if (options.has_sources() && options.data.random_samples > 0)
    warnings.push_back("UseRandomData: has no effect beside --data");
  if (options.has_random_data()) return Status::Ok();
  for (const auto& [given, name] : {std::pair(!random.shapes.empty(), "--random-shape"),
                                    std::pair(!random.ranges.empty(), "--random-range")}) {
    if (given) return Error(ErrorId::kConflictingOptions, name, ": has no effect without random samples");
  }
  return Status::Ok();
}

}  // namespace

Result<std::unique_ptr<RangeMethod>> MethodOfItsOwn(const Options& options, const std::string& name, const Builtins& builtins) {
  const Result<const RangeMethod*> method = builtins.methods.Find(name);
  if (!method.ok()) return Status(method.status()).WithContext("method");
  return ConfiguredMethod(options, **method, {}, nullptr);
}

Result<IntFormat> RangeFormat(const PlanOptions& plan) {
  if (plan.activation.block() != nullptr) {
    return Error(ErrorId::kConflictingOptions, "--activation ", plan.activation.name(), ": blocks have no ranges");
  }
  const IntFormat format{plan.activation.type()};
  return IntFormat{plan.activation.type(), plan.activation_symmetric.value_or(format.floating())};
}

Result<Choices> Resolve(const Options& options, const Builtins& builtins) {
  Choices choices;
  const Result<const RangeMethod*> method = builtins.methods.Find(options.method);
  if (!method.ok()) return Status(method.status()).WithContext("--method");
  const MethodOptions& given = options.method_options;
  Result<std::unique_ptr<RangeMethod>> configured = ChoosesRanges(options, builtins)
                                                        ? ConfiguredMethod(options, **method, given, &choices.warnings)
                                                        : (*method)->WithOptions(given);
  if (!configured.ok()) return std::move(configured).status().WithContext("--method-option");
  choices.method = std::move(configured).value();
  choices.plan = ResolvedPlan(options, *choices.method);
  if (options.mixed_precision.enabled && !options.mixed_precision.tensors.empty())
    PREON_RETURN_IF_ERROR(AddMixedPrecision(choices.plan.base_overrides, options.mixed_precision.tensors).WithContext("MixedPrecisionTensor"));
  if (!options.calib.empty() && choices.method->collects()) return NeedsValues(options.method).WithContext("--calib");
  const bool integers = IsIntType(options.plan.activation.type());
  choices.plan.weight = options.weight.value_or(integers ? TensorType(DataType::kInt8) : options.plan.activation);
  PREON_RETURN_IF_ERROR(SetAttributes(options, choices.plan));
  const Result<const Target*> target = TargetFor(options, choices.plan, builtins);
  if (!target.ok()) return Status(target.status()).WithContext("--target");
  choices.target = *target;
  if (!options.weight && !choices.target->QuantizesActivations()) choices.plan.weight = choices.target->DefaultWeight();
  PREON_RETURN_IF_ERROR(CheckFitsTarget(options, choices.plan, *choices.target));
  for (const std::string& key : options.layout_hints) {
    if (!choices.target->HasLayout()) choices.warnings.push_back(StrCat(key, ": has no effect with --target ", choices.target->name()));
  }
  PREON_RETURN_IF_ERROR(CheckTypeOptions(choices.plan));
  for (const auto& [passes, option] : {std::pair(&options.disabled_passes, "--disable-pass"), std::pair(&options.enabled_passes, "--enable-pass")}) {
    for (const std::string& name : *passes) {
      const Result<const Pass*> pass = builtins.passes.Find(name);
      if (!pass.ok()) return Status(pass.status()).WithContext(option);
      if (passes == &options.enabled_passes && options.disabled_passes.contains(name))
        return Error(ErrorId::kConflictingOptions, "--enable-pass and --disable-pass: got ", name, " for both");
    }
  }
  if (!options.report.empty()) {
    const Result<ReportFormat> format = ReportFormatOf(options.report);
    if (!format.ok()) return Status(format.status()).WithContext("--report");
  }
  if (options.checkpoint_seconds && !options.resume) {
    return Error(ErrorId::kConflictingOptions, "--checkpoint: has no effect without --resume");
  }
  if (!options.calib.empty()) PREON_RETURN_IF_ERROR(CheckCalibAlone(options));
  if (!options.data.only.empty() && !options.has_data())
    return Error(ErrorId::kConflictingOptions, "--only: has no effect without --data");
  PREON_RETURN_IF_ERROR(CheckScaleTypes(options));
  PREON_RETURN_IF_ERROR(CheckPassthrough(options.plan));
  choices.warnings = options.warnings;
  PREON_RETURN_IF_ERROR(CheckRandom(options, choices.warnings));
  if (choices.method->collects()) PREON_RETURN_IF_ERROR(CheckInOrder(options));
  for (const auto& [tensor, setting] : options.plan.overrides) {
    if (setting.range && setting.params) {
      return Error(ErrorId::kConflictingOptions, "overrides: ", tensor,
                   ": got rmin, rmax and scale, wanted one of both");
    }
  }
  return choices;
}

}  // namespace preon
