#include "config/resolve/resolve_options.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "base/spelling.h"
#include "config/ignored_options.h"
#include "config/keys/key_conflicts.h"
#include "config/keys/keys.h"
#include "config/resolve/check_options.h"
#include "config/tensor_overrides.h"
#include "ir/model_io.h"
#include "quantize/plan/passthrough.h"
#include "quantize/settings/tensor_settings.h"
#include "ranges/compat/compat_method.h"
#include "report/report_file.h"

namespace preon {

namespace {

// ONNX Runtime's quantizer has no other scales, and no search.
Status CheckRuntimeHas(const PlanOptions& plan) {
  if (plan.scale_type != ScaleType::kFloat32 || plan.scale_type_of_weights() != ScaleType::kFloat32)
    return Error(ErrorId::kConflictingOptions,
                 "--compat onnxruntime: it has float scales only, wanted --scale-type float32");
  if (plan.weight_rule.method == WeightMethod::kMinMse)
    return Error(ErrorId::kConflictingOptions,
                 "--compat onnxruntime: it does not search weights, wanted --weight-method minmax");
  return Status::Ok();
}

// A target that never has any leaves nothing for a method to choose.
bool ChoosesRanges(const Options& options, const Builtins& builtins) {
  if (!options.target) return true;
  const Result<const Target*> target = builtins.targets.Find(*options.target);
  return !target.ok() || (*target)->NeedsStatistics(PlanOptions{});
}

Result<std::unique_ptr<RangeMethod>> WithOptions(const Options& options, const RangeMethod& method,
                                                 const MethodOptions& settings) {
  const PlanOptions& plan = options.plan;
  if (plan.compat == Compat::kOff) return method.WithOptions(settings);
  if (plan.compat == Compat::kOnnxRuntime) PREON_RETURN_IF_ERROR(CheckRuntimeHas(plan));
  for (const TensorType& type : {plan.activation, options.types.weight.value_or(plan.weight)}) {
    if (!IsIntType(type.type()))
      return Error(ErrorId::kConflictingOptions, "--compat works with integer types only, got ", type.name());
  }
  return compat::MakeCompatMethod(plan.compat, method.name(), settings, plan.activation.type());
}

// Keys that others say something about: each is judged beside these.
constexpr std::array kSwitches = {"CalibMovingAverage", "MinMSEModePof2Scale"};

// What the method says of one key. Errors: kUnknownOption for one that it has not.
Status Judge(const Options& options, const RangeMethod& method, const std::string& key, const std::string& value) {
  MethodOptions settings = {{key, value}};
  for (const char* name : kSwitches) {
    const auto other = options.ranges.method_keys.find(name);
    if (other != options.ranges.method_keys.end() && WithOptions(options, method, {*other}).ok())
      settings.insert(*other);
  }
  return WithOptions(options, method, settings).status();
}

// A key that the method has not is without effect, as in Quark; one that it has no use for only where it came
// with a QConfig.
bool IsIgnored(const Options& options, const std::string& key, const Status& judged) {
  if (judged.ok()) return false;
  return judged.id() == ErrorId::kUnknownOption ||
         (judged.id() == ErrorId::kConflictingOptions && options.given.hints.contains(key));
}

// Of the keys those that the method has.
Result<std::unique_ptr<RangeMethod>> ConfiguredMethod(const Options& options, const RangeMethod& method,
                                                      MethodOptions settings) {
  for (const auto& [key, value] : options.ranges.method_keys) {
    if (!settings.contains(key) && !IsIgnored(options, key, Judge(options, method, key, value))) settings[key] = value;
  }
  return WithOptions(options, method, settings);
}

// Those of all activations, of layers and of single tensors.
std::set<std::string> MethodsOf(const Options& options, const Builtins& builtins) {
  std::set<std::string> methods = {options.ranges.method};
  if (options.ranges.all_methods) {
    for (const auto& method : builtins.methods.entries()) methods.emplace(method->name());
  }
  const auto add = [&](const std::optional<TensorOverride>& wanted) {
    if (wanted && wanted->method) methods.insert(*wanted->method);
  };
  for (const LayerOverride& layer : options.plan.layers) {
    add(layer.input);
    add(layer.output);
  }
  for (const auto& [tensor, wanted] : options.plan.overrides) add(wanted);
  return methods;
}

// Keys that no method of the run has.
Status CheckMethodKeys(const Options& options, const Builtins& builtins, Warnings* warnings) {
  const std::set<std::string> methods = MethodsOf(options, builtins);
  for (const auto& [key, value] : options.ranges.method_keys) {
    if (IsDefault(key, value)) continue;
    std::string why;
    bool read = false;
    for (const std::string& name : methods) {
      const Result<const RangeMethod*> method = builtins.methods.Find(name);
      const Status judged = method.ok() ? Judge(options, **method, key, value) : Status::Ok();
      read = read || !IsIgnored(options, key, judged);
      if (!judged.ok() && judged.id() == ErrorId::kConflictingOptions) why = "(" + judged.message() + ")";
    }
    if (read) continue;
    std::vector<std::string> others;
    for (const auto& method : builtins.methods.entries())
      if (Judge(options, *method, key, value).ok()) others.emplace_back(method->name());
    if (why.empty())
      why = StrCat("on method ", options.ranges.method,
                   others.empty() ? "" : "; methods that have it: " + JoinNames(others));
    PREON_RETURN_IF_ERROR(ReportIgnored(options.given, key, why, warnings));
  }
  return Status::Ok();
}

// With --compat weights follow the method of the activations: searched where those are.
PlanOptions ResolvedPlan(const Options& options, const RangeMethod& method) {
  PlanOptions plan = options.plan;
  if (plan.compat == Compat::kOff || plan.weight_rule.method) return plan;
  const bool searches = method.name() == "minmse" && plan.scale_type_of_weights() == ScaleType::kPowerOfTwo;
  plan.weight_rule.method = searches ? WeightMethod::kMinMse : WeightMethod::kMinMax;
  return plan;
}

// The one asked for, or the first of those that quantize activations and take the types.
// Integer kernels have weights of 8 bits, but none of these beside activations of 4 bits.
TensorType DefaultWeight(const TensorType& activation) {
  if (!IsIntType(activation.type())) return activation;
  const bool four_bits = activation == DataType::kInt4 || activation == DataType::kUInt4;
  return four_bits ? DataType::kInt4 : DataType::kInt8;
}

Result<const Target*> TargetFor(const Options& options, const PlanOptions& plan, const Builtins& builtins) {
  if (options.target) return builtins.targets.Find(*options.target);
  for (const auto& target : builtins.targets.entries()) {
    if (target->QuantizesActivations() && target->Takes(plan)) return target.get();
  }
  return builtins.targets.entries().front().get();  // which says what it has
}

}  // namespace

Result<IntFormat> RangeFormat(const TensorType& activation, std::optional<bool> symmetric) {
  if (activation.block() != nullptr) {
    return Error(ErrorId::kConflictingOptions, "--activation ", activation.name(), ": blocks have no ranges");
  }
  const IntFormat format{activation.type()};
  return IntFormat{activation.type(), symmetric.value_or(format.floating())};
}

namespace {

// In place of one method.
Result<std::vector<std::unique_ptr<RangeMethod>>> AllMethods(const Options& options, const Builtins& builtins) {
  for (const auto& [given, name] : {std::pair(options.ranges.method != "auto", "--method"),
                                    std::pair(!options.ranges.method_options.empty(), "--method-option"),
                                    std::pair(options.plan.compat != Compat::kOff, "--compat")}) {
    if (given)
      return Error(ErrorId::kConflictingOptions, "--all-methods: not with ", name, ", which belongs to one method");
  }
  std::vector<std::unique_ptr<RangeMethod>> methods;
  for (const auto& method : builtins.methods.entries()) {
    PREON_ASSIGN_OR_RETURN(methods.emplace_back(), ConfiguredMethod(options, *method, {}));
  }
  return methods;
}

// Those that are switched on and have something to do for the target.
std::vector<const Algorithm*> AlgorithmsFor(const Target& target, const AlgorithmOptions& options,
                                            const AlgorithmRegistry& algorithms) {
  std::vector<const Algorithm*> chosen;
  for (const auto& algorithm : algorithms.entries()) {
    const bool disabled = options.disabled.contains(std::string(algorithm->name()));
    if (!disabled && algorithm->AppliesTo(target)) chosen.push_back(algorithm.get());
  }
  return chosen;
}

Status ResolvePasses(const Options& options, const Builtins& builtins, Choices& choices) {
  for (const auto& [given, found, option] :
       {std::tuple(&options.prepare.disabled_passes, &choices.disabled_passes, "--disable-pass"),
        std::tuple(&options.prepare.enabled_passes, &choices.enabled_passes, "--enable-pass")}) {
    for (const std::string& name : *given) {
      Result<std::string> pass = PassName(builtins, name);
      if (!pass.ok()) return std::move(pass).status().WithContext(option);
      found->insert(*std::move(pass));
    }
  }
  if (options.write.nhwc) choices.enabled_passes.insert("to_nhwc");
  if (options.prepare.copy_shared) choices.enabled_passes.insert("copy_shared_initializers");
  if (options.write.format == QuantFormat::kQOperator) choices.enabled_passes.insert("qoperator");
  for (const std::string& name : choices.enabled_passes) {
    if (choices.disabled_passes.contains(name))
      return Error(ErrorId::kConflictingOptions, "--enable-pass and --disable-pass: got ", name, " for both");
  }
  const auto is_byte = [](const TensorType& type) { return type == DataType::kInt8 || type == DataType::kUInt8; };
  const PlanOptions& plan = choices.plan;
  if (choices.enabled_passes.contains("qoperator") && !(is_byte(plan.activation) && is_byte(plan.weight))) {
    return Error(ErrorId::kConflictingOptions, "--format qoperator: integer operators take int8 and uint8 only, got ",
                 plan.activation.name(), " and ", plan.weight.name());
  }
  return Status::Ok();
}

}  // namespace

Result<Choices> Resolve(const Options& options, const Builtins& builtins) {
  Choices choices{.warnings = options.given.warnings};
  Warnings* warnings = &choices.warnings;
  PREON_RETURN_IF_ERROR(CheckKeyConflicts(options, warnings));
  if (options.ranges.all_methods) {
    PREON_ASSIGN_OR_RETURN(choices.all_methods, AllMethods(options, builtins));
  }
  // Of the candidates of auto, minmse has the least error on average (figures: docs/methods/auto.md).
  const bool fast = options.ranges.effort == Effort::kFast && options.ranges.method == "auto";
  const Result<const RangeMethod*> method = builtins.methods.Find(fast ? "minmse" : options.ranges.method);
  if (!method.ok()) return Status(method.status()).WithContext("--method");
  MethodOptions given = options.ranges.method_options;
  if (fast) given.emplace(kGraphAware, "true");
  Result<std::unique_ptr<RangeMethod>> configured =
      ChoosesRanges(options, builtins) ? ConfiguredMethod(options, **method, given) : (*method)->WithOptions(given);
  if (!configured.ok()) return std::move(configured).status().WithContext("--method-option");
  choices.method = std::move(configured).value();
  PREON_RETURN_IF_ERROR(CheckMethodKeys(options, builtins, warnings));
  choices.plan = ResolvedPlan(options, *choices.method);
  if (options.types.mixed_precision.enabled && !options.types.mixed_precision.tensors.empty())
    PREON_RETURN_IF_ERROR(AddMixedPrecision(choices.plan.base_overrides, options.types.mixed_precision.tensors)
                              .WithContext("MixedPrecisionTensor"));
  if (!options.statistics.calib.empty() && choices.method->collects())
    return NeedsValues(options.ranges.method).WithContext("--calib");
  choices.plan.weight = options.types.weight.value_or(DefaultWeight(options.plan.activation));
  PREON_RETURN_IF_ERROR(SetAttributes(options, choices.plan, warnings));
  const Result<const Target*> target = TargetFor(options, choices.plan, builtins);
  if (!target.ok()) return Status(target.status()).WithContext("--target");
  choices.target = *target;
  choices.algorithms = AlgorithmsFor(**target, options.algorithms, builtins.algorithms);
  choices.own_method = [&](const std::string& name) -> Result<std::unique_ptr<RangeMethod>> {
    const Result<const RangeMethod*> own = builtins.methods.Find(name);
    if (!own.ok()) return Status(own.status()).WithContext("method");
    return ConfiguredMethod(options, **own, {});
  };
  if (!options.types.weight && !choices.target->QuantizesActivations())
    choices.plan.weight = choices.target->DefaultWeight();
  PREON_RETURN_IF_ERROR(CheckFitsTarget(options, choices.plan, *choices.target, warnings));
  PREON_RETURN_IF_ERROR(CheckTypeOptions(options, choices.plan, warnings));
  PREON_RETURN_IF_ERROR(ResolvePasses(options, builtins, choices));
  for (const std::string& name : options.algorithms.disabled) {
    const Result<const Algorithm*> algorithm = builtins.algorithms.Find(name);
    if (!algorithm.ok()) return Status(algorithm.status()).WithContext("--disable-algorithm");
  }
  if (!options.report.empty()) {
    const Result<ReportFormat> format = ReportFormatOf(options.report);
    if (!format.ok()) return Status(format.status()).WithContext("--report");
  }
  if (options.prepare.opset > NewestOpset())
    return Error(ErrorId::kBadOptionValue, "--opset: got ", options.prepare.opset, ", wanted at most ", NewestOpset());
  if (!options.statistics.calib.empty()) PREON_RETURN_IF_ERROR(CheckCalibAlone(options.data, options.calibration));
  if (!options.data.only.empty() && !options.data.has_samples())
    return Error(ErrorId::kConflictingOptions, "--only: has no effect without --data");
  PREON_RETURN_IF_ERROR(CheckScaleTypes(options, warnings));
  PREON_RETURN_IF_ERROR(CheckPassthrough(options.plan.passthrough));
  PREON_RETURN_IF_ERROR(CheckRandom(options, warnings));
  PREON_RETURN_IF_ERROR(CheckPreprocess(options, warnings));
  if (choices.method->collects())
    PREON_RETURN_IF_ERROR(CheckInOrder(options.calibration, options.statistics, options.ranges.method));
  WarnOfDoubtful(options.given, options.statistics, choices.plan.activation, choices.plan.activation_symmetric,
                 warnings);
  return choices;
}

}  // namespace preon
