#include "config/resolve/resolve_options.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/spelling.h"
#include "config/files/encodings.h"
#include "config/files/precision_parameters.h"
#include "config/float_scales.h"
#include "config/ignored_options.h"
#include "config/keys/key_conflicts.h"
#include "config/keys/keys.h"
#include "config/resolve/as_quark.h"
#include "config/resolve/check_options.h"
#include "config/resolve/configured_methods.h"
#include "config/resolve/resolve_algorithms.h"
#include "config/resolve/resolve_passes.h"
#include "config/resolve/resolve_size.h"
#include "config/tensor_overrides.h"
#include "quantize/plan/passthrough.h"
#include "quantize/settings/tensor_settings.h"
#include "ranges/range_methods.h"
#include "report/report_file.h"

namespace preon {

namespace {

// ONNX Runtime's quantizer has no other scales, and no search.
Status CheckRuntimeHas(ScaleType of_activations, ScaleType of_weights, std::optional<WeightMethod> method) {
  if (of_activations != ScaleType::kFloat32 || of_weights != ScaleType::kFloat32)
    return Error(ErrorId::kConflictingOptions,
                 "--compat onnxruntime: it has float scales only, wanted --scale-type float32");
  if (method == WeightMethod::kMinMse)
    return Error(ErrorId::kConflictingOptions,
                 "--compat onnxruntime: it does not search weights, wanted --weight-method minmax");
  return Status::Ok();
}

// The one asked for, or the first of those that quantize activations and take the types.
Result<const Target*> TargetFor(const std::optional<std::string>& name, const PlanOptions& plan,
                                const TargetRegistry& targets) {
  if (name) return targets.Find(*name);
  for (const auto& target : targets.entries()) {
    if (target->QuantizesActivations() && target->Takes(plan)) return target.get();
  }
  return targets.entries().front().get();  // which says what it has
}

// Quark's extended format has half floats and blocks beside integers.
Status CheckTypesOfCompat(Compat compat, bool extended, const TensorType& activation, const TensorType& weight) {
  for (const TensorType& type : {activation, weight}) {
    const bool is_int = IsIntType(type.type()) && type.code_bits() == 0;
    if (!is_int && !(compat == Compat::kQuark && extended && (IsHalf(type) || type.block() != nullptr)))
      return Error(ErrorId::kConflictingOptions, "--compat ", CompatName(compat), ": got type ", type.name(),
                   "; wanted integer types", compat == Compat::kQuark ? ", or --target quark" : "");
  }
  return Status::Ok();
}

// Those of all activations, of layers and of single tensors.
std::set<std::string> MethodsOf(const RangeOptions& ranges, const std::vector<LayerOverride>& layers,
                                const std::map<std::string, TensorOverride>& tensors,
                                const RangeMethodRegistry& registry) {
  std::set<std::string> methods = {ranges.method};
  if (ranges.all_methods) {
    for (const auto& method : registry.entries()) methods.emplace(method->name());
  }
  const auto add = [&](const std::optional<TensorOverride>& wanted) {
    if (wanted && wanted->method) methods.insert(*wanted->method);
  };
  for (const LayerOverride& layer : layers) {
    add(layer.input);
    add(layer.output);
  }
  for (const auto& [tensor, wanted] : tensors) add(wanted);
  return methods;
}

// Keys that none of `methods`, those of the run, has.
Status CheckMethodKeys(const RangeOptions& ranges, const std::set<std::string>& methods,
                       const ConfiguredMethods& configured, const RangeMethodRegistry& registry,
                       const SettingOrigins& origins, Warnings* warnings) {
  for (const auto& [key, value] : ranges.method_keys) {
    if (IsDefault(key, value)) continue;
    std::string why;
    bool read = false;
    for (const std::string& name : methods) {
      const Result<const RangeMethod*> method = registry.Find(name);
      const Status judged = method.ok() ? configured.Judge(**method, key, value) : Status::Ok();
      read = read || !configured.IsIgnored(key, judged);
      if (!judged.ok() && judged.id() == ErrorId::kConflictingOptions) why = "(" + judged.message() + ")";
    }
    if (read) continue;
    std::vector<std::string> others;
    for (const auto& method : registry.entries())
      if (configured.Judge(*method, key, value).ok()) others.emplace_back(method->name());
    if (why.empty())
      why = StrCat("on method ", ranges.method, others.empty() ? "" : "; methods that have it: " + JoinNames(others));
    PREON_RETURN_IF_ERROR(ReportIgnored(origins, key, why, warnings));
  }
  return Status::Ok();
}

bool WantEveryValue(const std::set<std::string>& methods, const ConfiguredMethods& configured,
                    const RangeMethodRegistry& registry) {
  return std::ranges::any_of(methods, [&](const std::string& name) {
    const Result<const RangeMethod*> method = registry.Find(name);
    if (!method.ok()) return false;
    const auto made = configured.Make(**method, {});
    return made.ok() && (*made)->wants_every_value();
  });
}

// With --compat weights follow the method of the activations: searched where those are.
PlanOptions ResolvedPlan(PlanOptions plan, const RangeMethod& method) {
  if (plan.compat == Compat::kOff || plan.weight_rule.method) return plan;
  const bool searches = method.name() == "minmse" && plan.scale_type_of_weights() == ScaleType::kPowerOfTwo;
  plan.weight_rule.method = searches ? WeightMethod::kMinMse : WeightMethod::kMinMax;
  return plan;
}

// Integer kernels have weights of 8 bits, but none of these beside activations of 4 bits.
TensorType DefaultWeight(const TensorType& activation) {
  if (!IsIntType(activation.type())) return activation;
  const bool four_bits = activation == DataType::kInt4 || activation == DataType::kUInt4;
  return four_bits ? DataType::kInt4 : DataType::kInt8;
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

// Where nothing else was said.
MethodOptions WithGraphAware(MethodOptions options) {
  const auto is_that = [](const auto& option) { return ToLower(option.first) == ToLower(kGraphAware); };
  if (std::ranges::none_of(options, is_that)) options.emplace(kGraphAware, "true");
  return options;
}

// In place of one method.
Result<std::vector<std::unique_ptr<RangeMethod>>> AllMethods(const RangeOptions& ranges, Compat compat,
                                                             const ConfiguredMethods& configured,
                                                             const RangeMethodRegistry& registry) {
  for (const auto& [given, name] :
       {std::pair(ranges.method != "auto", "--method"), std::pair(!ranges.method_options.empty(), "--method-option"),
        std::pair(compat != Compat::kOff, "--compat")}) {
    if (given)
      return Error(ErrorId::kConflictingOptions, "--all-methods: can't be used with ", name,
                   ", which belongs to one method");
  }
  std::vector<std::unique_ptr<RangeMethod>> methods;
  for (const auto& method : registry.entries()) {
    PREON_ASSIGN_OR_RETURN(methods.emplace_back(), configured.Make(*method, {}));
  }
  return methods;
}

// Passes that other options ask for.
std::set<std::string> ImpliedPasses(const WriteOptions& write, bool fixes_shapes, bool copies_shared,
                                    const std::vector<const Algorithm*>& algorithms) {
  std::set<std::string> passes;
  for (const Algorithm* algorithm : algorithms) {
    for (const std::string_view pass : algorithm->SourcePasses()) passes.emplace(pass);
  }
  if (write.nhwc) passes.insert("to_nhwc");
  if (fixes_shapes) passes.insert("fix_shapes");
  if (copies_shared) passes.insert("copy_shared_initializers");
  if (write.format == QuantFormat::kQOperator) passes.insert("qoperator");
  return passes;
}

Status CheckIntegerOperators(const PassSelection& passes, const TensorType& activation, const TensorType& weight) {
  if (!passes.enabled.contains("qoperator") || (IsByte(activation) && IsByte(weight))) return Status::Ok();
  return Error(ErrorId::kConflictingOptions, "--format qoperator: integer operators take int8 and uint8 only, got ",
               activation.name(), " and ", weight.name());
}

// Names are looked up later. `hint`: of errors.
Result<PlanOptions> WithScalesOfTarget(PlanOptions plan, const std::optional<std::string>& name, const GivenTypes& set,
                                       const TargetRegistry& targets, const char* hint) {
  if (!name) return plan;
  const Result<const Target*> target = targets.Find(*name);
  const GivenScales given{.activation = set.activation, .scale_type = set.scale_type, .channels = set.channels};
  if (target.ok()) PREON_RETURN_IF_ERROR((*target)->SettleScales(given, &plan).WithHint(hint));
  return plan;
}

// Opset, operators and target are chosen for all types that may come.
void AddPossibleLayers(const PrecisionOptions& precision, PlanOptions& plan) {
  for (const std::vector<LayerOverride>& form : precision.forms)
    plan.possible.layers.insert(plan.possible.layers.end(), form.begin(), form.end());
  if (precision.dual) plan.op_list.pairs.dual = true;
}

}  // namespace

Result<Choices> Resolve(const Options& options, const Builtins& builtins) {
  Choices choices{.warnings = options.given.warnings};
  Warnings* warnings = &choices.warnings;
  const SettingOrigins& origins = options.given.origins;
  if (!options.encodings.empty())
    PREON_RETURN_IF_ERROR(CheckEncodingsAlone({{!options.calib.empty(), "--calib"},
                                               {!options.outputs.ranges.empty(), "--save-and-restore"},
                                               {!options.algorithms.asked.empty(), "--algorithm"},
                                               {!options.algorithms.precision.empty(), "auto_mixprecision"},
                                               {options.ranges.effort == Effort::kHigh, "--effort high"},
                                               {options.plan.compat != Compat::kOff, "--compat"}}));
  const Result<const Target*> named = TargetFor(options.target, options.plan, builtins.targets);
  PREON_RETURN_IF_ERROR(CheckKeyConflicts(options.given.keys, named.ok() ? *named : nullptr, origins, warnings));
  PlanOptions asked = options.plan;
  const bool acts = SettleFloatScales(options.given.keys, asked.scale_type, asked.weight_scale_type, asked.settings);
  const bool by_qconfig = options.types.by_qconfig && origins.key_of.contains("target");
  PREON_ASSIGN_OR_RETURN(
      const PlanOptions plan,
      WithScalesOfTarget(std::move(asked), options.target, options.given_types, builtins.targets,
                         by_qconfig ? "EnableNPUCnn=false: powers of two without the rules of NPUs" : ""));
  if (!acts && !options.types.by_qconfig) {
    const std::string why = plan.scale_type == ScaleType::kPowerOfTwo
                                ? StrCat("with --target ", *options.target, ", which has no other scales")
                                : std::string(kNoPowersAsked);
    PREON_RETURN_IF_ERROR(ReportIgnored(origins, kPowerOf2Key, why, warnings));
  }
  const RangeOptions& ranges = options.ranges;
  Status fits = plan.compat != Compat::kOnnxRuntime
                    ? Status::Ok()
                    : CheckRuntimeHas(plan.scale_type, plan.scale_type_of_weights(), plan.weight_rule.method);
  const Result<const Target*> for_ranges = TargetFor(options.target, plan, builtins.targets);
  if (fits.ok())
    fits = CheckTypesOfCompat(plan.compat, for_ranges.ok() && (*for_ranges)->HasExtendedFormat(), plan.activation,
                              options.types.weight.value_or(plan.weight));
  const ConfiguredMethods configured(MakerOf(plan.compat, plan.activation, fits), ranges.method_keys, origins.hints);
  if (ranges.all_methods) {
    PREON_ASSIGN_OR_RETURN(choices.all_methods, AllMethods(ranges, plan.compat, configured, builtins.methods));
  }
  const Result<const RangeMethod*> method = builtins.methods.Find(ranges.method);
  if (!method.ok()) return Status(method.status()).WithContext("--method");
  // A target that has no ranges, of these types or never, leaves nothing for a method to choose.
  const bool configures = !for_ranges.ok() || (*for_ranges)->NeedsStatistics(plan);
  if (plan.compat != Compat::kOff && !configures) PREON_RETURN_IF_ERROR(fits);
  const auto make = [configured, configures](const RangeMethod& wanted,
                                             const MethodOptions& given) -> Result<std::unique_ptr<RangeMethod>> {
    auto made = configures ? configured.Make(wanted, given) : wanted.WithOptions(given);
    if (made.ok() || made.status().id() == ErrorId::kConflictingOptions) return made;  // that is about the method
    return std::move(made).status().WithContext("--method-option");
  };
  choices.without_trials = [&builtins, make, given = ranges.method_options]() -> Result<std::unique_ptr<RangeMethod>> {
    PREON_ASSIGN_OR_RETURN(const RangeMethod* single, builtins.methods.Find(kMethodWithoutTrials));
    return make(*single, WithGraphAware(given));
  };
  const bool fast = ranges.effort == Effort::kFast && (*method)->name() == "auto";
  PREON_ASSIGN_OR_RETURN(choices.method, fast ? choices.without_trials() : make(**method, ranges.method_options));
  const std::set<std::string> methods =
      MethodsOf(ranges, plan.settings.layers, plan.settings.overrides, builtins.methods);
  PREON_RETURN_IF_ERROR(CheckMethodKeys(ranges, methods, configured, builtins.methods, origins, warnings));
  choices.every_value = choices.method->wants_every_value() || WantEveryValue(methods, configured, builtins.methods);
  if (choices.every_value && !options.calib.empty())
    warnings->push_back(
        "LWPUseHistogram=false: has no effect with --calib: the values were counted when its statistics were "
        "collected");
  choices.plan = ResolvedPlan(plan, *choices.method);
  if (options.types.mixed_precision.enabled && !options.types.mixed_precision.tensors.empty())
    PREON_RETURN_IF_ERROR(AddMixedPrecision(choices.plan.settings.base_overrides, options.types.mixed_precision.tensors)
                              .WithContext("MixedPrecisionTensor"));
  if (!options.encodings.empty()) {
    PREON_ASSIGN_OR_RETURN(choices.plan.given_scales, LoadEncodings(options.encodings));
    choices.plan.ExpectGivenTypes();
  }
  PREON_ASSIGN_OR_RETURN(choices.precision, ReadPrecision(options.algorithms, options.precision_distance));
  if (choices.precision) SettleSymmetry(plan.activation_symmetric, plan.weight_symmetric, &*choices.precision);
  if (choices.precision) AddPossibleLayers(*choices.precision, choices.plan);
  if (!options.calib.empty() && choices.method->collects()) return NeedsValues(ranges.method).WithContext("--calib");
  choices.plan.weight = options.types.weight.value_or(DefaultWeight(plan.activation));
  choices.fewer_bits = FewerBitsForSize(options.size, options.target, choices.plan, builtins.targets);
  if (choices.fewer_bits) choices.plan.possible.layers.push_back(*choices.fewer_bits);
  PREON_RETURN_IF_ERROR(
      SetAttributes(options.types, origins, choices.plan.Types(),
                    StrCat("on ", choices.plan.activation.name(), " and ", choices.plan.weight.name()), warnings));
  if (plan.compat == Compat::kQuark && options.types.by_qconfig) {
    PREON_RETURN_IF_ERROR(LeaveRoundingToOperator(options.types.bfp_attributes, choices.plan.activation));
    PREON_RETURN_IF_ERROR(LeaveRoundingToOperator(options.types.bfp_attributes, choices.plan.weight));
  }
  const Result<const Target*> target = TargetFor(options.target, choices.plan, builtins.targets);
  if (!target.ok()) return Status(target.status()).WithContext("--target");
  choices.target = *target;
  if (ranges.effort == Effort::kHigh && plan.compat != Compat::kOff)
    return Error(ErrorId::kConflictingOptions, "--effort high: has no effect with --compat ", CompatName(plan.compat));
  const AlgorithmOptions algorithms =
      options.encodings.empty()
          ? WithEffort(options.algorithms, ranges.effort, **target, choices.plan, builtins.algorithms)
          : WithoutAlgorithms(builtins.algorithms);
  PREON_ASSIGN_OR_RETURN(choices.algorithms,
                         ChooseAlgorithms(**target, choices.plan, algorithms, origins, builtins.algorithms, warnings));
  choices.own_method = [&builtins, configured](const std::string& name) -> Result<std::unique_ptr<RangeMethod>> {
    const Result<const RangeMethod*> own = builtins.methods.Find(name);
    if (!own.ok()) return Status(own.status()).WithContext("method");
    return configured.Make(**own, {});
  };
  if (!options.types.weight && !choices.target->QuantizesActivations())
    choices.plan.weight = choices.target->DefaultWeight(plan.weight_rule);
  PREON_RETURN_IF_ERROR(CheckFitsTarget(options, choices.plan, *choices.target, builtins.algorithms, warnings));
  PREON_RETURN_IF_ERROR(CheckTypeOptions(*choices.target, origins, choices.plan, warnings));
  PREON_ASSIGN_OR_RETURN(
      choices.passes,
      ResolvePasses(options.prepare.passes,
                    {.disabled = choices.target->HasStages(choices.plan)
                                     ? std::set<std::string>()
                                     : PassesOfStagesOff(choices.plan.op_list.preprocessing, builtins.passes),
                     .enabled = ImpliedPasses(options.write, !options.prepare.fixed_shapes.empty(),
                                              options.prepare.copy_shared.has_value(), choices.algorithms.list)},
                    builtins));
  choices.plan.op_list.pairs.integer_operators = choices.passes.enabled.contains("qoperator");
  PREON_RETURN_IF_ERROR(CheckIntegerOperators(choices.passes, choices.plan.activation, choices.plan.weight));
  for (const std::string& name : options.algorithms.disabled) {
    const Result<const Algorithm*> algorithm = builtins.algorithms.Find(name);
    if (!algorithm.ok()) return Status(algorithm.status()).WithContext("--disable-algorithm");
  }
  if (!options.outputs.report.empty()) {
    const Result<ReportFormat> format = ReportFormatOf(options.outputs.report);
    if (!format.ok()) return Status(format.status()).WithContext("--report");
  }
  PREON_RETURN_IF_ERROR(
      CheckPreparation(options.prepare.opset, options.prepare.float16_parts, options.prepare.float16));
  if (!options.calib.empty()) PREON_RETURN_IF_ERROR(CheckCalibAlone(options.data, options.calibration, origins));
  if (!options.data.only.empty() && !options.data.from.has_samples())
    return Error(ErrorId::kConflictingOptions, "--only: has no effect without --data");
  PREON_RETURN_IF_ERROR(CheckWeightSearch(plan.weight_rule, plan.scale_type_of_weights(), origins, warnings));
  PREON_RETURN_IF_ERROR(CheckInt16Scales(plan.scale_type_of_weights(), options.types.weight.value_or(DataType::kInt8),
                                         plan.scale_type, plan.activation));
  PREON_RETURN_IF_ERROR(CheckPassthrough(plan.passthrough));
  PREON_RETURN_IF_ERROR(
      CheckRandom(options.data.from, options.data.random, !options.search.space.empty(), origins, warnings));
  PREON_RETURN_IF_ERROR(CheckPreprocess(options.data.from, options.data.preprocess, origins, warnings));
  if (choices.method->collects())
    PREON_RETURN_IF_ERROR(CheckInOrder(options.calibration, options.outputs.ranges, ranges.method, origins));
  const bool symmetric = choices.target->QuantizesActivations() && options.plan.activation_symmetric == true;
  WarnOfDoubtful(options.given.keys, choices.plan.activation, symmetric, NameOf("symmetric", origins), warnings);
  return choices;
}

}  // namespace preon
