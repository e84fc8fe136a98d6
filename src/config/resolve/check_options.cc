#include "config/resolve/check_options.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/text.h"
#include "config/ignored_options.h"
#include "config/keys/key_spec.h"
#include "config/keys/keys.h"
#include "config/option_table.h"
#include "config/resolve/resolve_passes.h"
#include "data/data_options.h"
#include "data/source.h"
#include "quantize/plan/target.h"
#include "quantize/settings/tensor_settings.h"

namespace preon {

// Statistics from a file come with their samples: options about these would be ignored.
Status CheckCalibAlone(const DataOptions& data, const CalibrationOptions& calibration, const SettingOrigins& origins) {
  const std::pair<bool, const char*> unused[] = {{calibration.observe.mode != SketchMode::kSampled, "exact"},
                                                 {!calibration.observe.optimize, "no-optimize"},
                                                 {!data.from.has_samples() && !data.only.empty(), "only"},
                                                 {calibration.workers.count > 1, "workers"},
                                                 {calibration.checkpoint.resume, "resume"},
                                                 {calibration.checkpoint.seconds.has_value(), "checkpoint"},
                                                 {calibration.samples != -1, "calib-samples"},
                                                 {!data.from.has_samples() && data.limit != -1, "samples"},
                                                 {!data.from.has_samples() && data.batch != 0, "batch"},
                                                 {!data.from.has_samples() && data.random.seed != 0, "seed"},
                                                 {!data.from.has_samples() && !data.preprocess.empty(), "preprocess"},
                                                 {!data.from.has_samples() && !data.labels.empty(), "labels"}};
  for (const auto& [given, option] : unused) {
    if (!given) continue;
    return Error(ErrorId::kConflictingOptions, NameOf(option, origins), ": has no effect with --calib",
                 data.from.has_samples() ? "" : " and no --data");
  }
  return Status::Ok();
}

Status CheckEncodingsAlone(const std::vector<std::pair<bool, const char*>>& unusable) {
  for (const auto& [given, name] : unusable) {
    if (given)
      return Error(ErrorId::kConflictingOptions, "--encodings: can't be used with ", name,
                   ": the file's scales belong to the weights as they are");
  }
  return Status::Ok();
}

Status CheckWeightSearch(const WeightRule& rule, ScaleType scale_type, const SettingOrigins& origins,
                         Warnings* warnings) {
  const bool power_of_two_weights = scale_type == ScaleType::kPowerOfTwo;
  const bool searches = rule.method_for(scale_type) == WeightMethod::kMinMse && !power_of_two_weights;
  if (rule.search && !searches) {
    PREON_RETURN_IF_ERROR(ReportIgnored(origins, "--weight-search",
                                        power_of_two_weights
                                            ? "with power-of-two scales, which have their own candidates"
                                            : "without --weight-method minmse",
                                        warnings));
  }
  return Status::Ok();
}

Status CheckInt16Scales(ScaleType of_weights, const TensorType& weight, ScaleType of_activations,
                        const TensorType& activation) {
  // They end at 2^-15; a 32-bit code that small would need ranges of more than 65536.
  if (of_weights == ScaleType::kInt16 && IsIntType(weight.type()) && DataTypeBits(weight.type()) == 32) {
    return Error(ErrorId::kConflictingOptions, "--scale-type int16: no such scale fits --weight ", weight.name(),
                 ", wanted --weight-scale-type float32 or power-of-two");
  }
  if (of_activations == ScaleType::kInt16 && DataTypeBits(activation.type()) == 32) {
    return Error(ErrorId::kConflictingOptions, "--scale-type int16: no such scale fits --activation ",
                 activation.name(), ", wanted float32 or power-of-two");
  }
  return Status::Ok();
}

// As the user may have written it: some have an option of their own.
std::string OptionThatDisables(std::string_view algorithm) {
  const std::string own = StrCat("no-", algorithm);
  const bool has_own = std::ranges::find(OptionTable(), own, &OptionSpec::name) != OptionTable().end();
  return has_own ? "--" + own : StrCat("--disable-algorithm ", algorithm);
}

// A flag as it is without the key: what only NPUs need is off.
bool IsSoAnyway(const std::string& key, const std::map<std::string, std::string>& given) {
  const KeySpec* spec = FindKey(key);
  if (spec == nullptr || spec->type != KeyType::kFlag) return false;
  const auto has_name = [&](const KeySpec& of_npus) { return of_npus.name == spec->name; };
  if (std::ranges::any_of(NpuKeys(), has_name)) return given.at(key) == "false";
  return spec->fallback == given.at(key) && spec->default_here.empty();
}

namespace {

// Is the option given? And its name.
using GivenOption = std::pair<bool, const char*>;

// Refuses options without effect.
struct Refusal {
  const SettingOrigins& origins;
  Warnings* warnings;

  Status operator()(std::string_view setting, const std::string& with) const {
    return ReportIgnored(origins, setting, StrCat("with ", with), warnings);
  }
  Status operator()(std::span<const GivenOption> options, const std::string& with) const {
    for (const auto& [given, name] : options) {
      if (given) PREON_RETURN_IF_ERROR((*this)(name, with));
    }
    return Status::Ok();
  }
};

// Of targets that also write activations.
std::vector<GivenOption> OptionsOfActivations(const PlanOptions& plan) {
  const PlanOptions unset;
  return {{plan.activation != unset.activation, "--activation"},
          {plan.activation_symmetric.has_value(), "--symmetric"},
          {plan.scale_type != unset.scale_type, "--scale-type"},
          {plan.weight_scale_type.has_value(), "--weight-scale-type"},
          {plan.weight_rule.search.has_value(), "--weight-search"},
          {plan.compat == Compat::kOnnxRuntime, "--compat"},
          {!plan.per_channel, "--per-tensor"},
          {plan.op_list.reduce_range, "--reduce-range"},
          {plan.vnni, "--vnni"},
          {plan.weight_form.has_value(), "--weight-form"},
          {plan.HasSettings(), "settings of layers or single tensors"}};
}

// Keys that change a list of operators, where the target has none.
Status CheckOpListKeys(const std::vector<std::string>& changing, const std::map<std::string, std::string>& given,
                       const Target& target, const Refusal& refuse) {
  if (target.HasOpList()) return Status::Ok();
  for (const std::string& key : changing) {
    if (IsStage(key) || IsSoAnyway(key, given) || target.DoesAnyway(key)) continue;
    PREON_RETURN_IF_ERROR(refuse(key, StrCat("--target ", target.name())).WithHint("it is for --target quark"));
  }
  return Status::Ok();
}

// Switches of algorithms that do not run anyway.
Status CheckDisabled(const AlgorithmRegistry& algorithms, const std::set<std::string>& disabled, const Target& target,
                     const PlanOptions& plan, const std::string& cause, const Refusal& refuse) {
  for (const auto& algorithm : algorithms.entries()) {
    const std::string name(algorithm->name());
    if (disabled.contains(name) && !algorithm->AppliesTo(target, plan))
      PREON_RETURN_IF_ERROR(refuse(OptionThatDisables(name), cause));
  }
  return Status::Ok();
}

bool LearnsFromSamples(const AlgorithmRegistry& algorithms, const AlgorithmOptions& given, const Target& target,
                       const PlanOptions& plan) {
  return std::ranges::any_of(algorithms.entries(), [&](const auto& algorithm) {
    const std::string name(algorithm->name());
    return (algorithm->on_by_default() || given.asked.contains(name)) && !given.disabled.contains(name) &&
           algorithm->AppliesTo(target, plan);
  });
}

}  // namespace

// Options without effect are errors: those of ranges where no tensor has one, those of another target or type.
Status CheckFitsTarget(const Options& options, const PlanOptions& plan, const Target& target,
                       const AlgorithmRegistry& algorithms, Warnings* warnings) {
  const Refusal refuse{options.given.origins, warnings};
  const std::string with_target = StrCat("--target ", target.name());
  PREON_RETURN_IF_ERROR(CheckOpListKeys(options.given.op_list_settings, options.given.keys, target, refuse));
  for (const auto& [key, reason, so_anyway] : target.IgnoredKeys(plan)) {
    SettingOrigins origins = options.given.origins;
    if (so_anyway) origins.hints.emplace(key);
    PREON_RETURN_IF_ERROR(ReportIgnored(origins, key, StrCat("here: ", reason), warnings));
  }
  if (!options.block_parameters.empty())
    PREON_RETURN_IF_ERROR(
        ReportIgnored(options.given.origins, "MatMulNBitsParams", "without UseMatMulNBits=true", warnings));
  if (!target.NeedsStatistics(plan)) {
    const bool by_type = target.NeedsStatistics(PlanOptions());
    const std::string cause = by_type ? StrCat("--activation ", plan.activation.name()) : with_target;
    const bool has_effort = options.ranges.effort != Effort::kDefault;
    const GivenOption of_ranges[] = {{options.ranges.method != "auto", "--method"},
                                     {has_effort && !target.FitsCodes(plan.Types(), plan.weight), "--effort"},
                                     {options.budget.has_value(), "--budget"},
                                     {!options.ranges.method_options.empty(), "--method-option"},
                                     {!options.calib.empty(), "--calib"},
                                     {!plan.passthrough.empty(), "--passthrough"},
                                     {options.write.format.has_value(), "--format"},
                                     {options.calibration.observe.mode != SketchMode::kSampled, "--exact"},
                                     {!options.calibration.observe.optimize, "--no-optimize"},
                                     {!options.outputs.histograms.empty(), "--save-histograms"},
                                     {!options.outputs.ranges.empty(), "--save-and-restore"},
                                     {options.calibration.workers.count > 1, "--workers"}};
    PREON_RETURN_IF_ERROR(refuse(of_ranges, cause));
    PREON_RETURN_IF_ERROR(CheckDisabled(algorithms, options.algorithms.disabled, target, plan, cause, refuse));
    const GivenOption of_samples[] = {{options.calibration.samples != -1, "--calib-samples"}};
    if (!LearnsFromSamples(algorithms, options.algorithms, target, plan))
      PREON_RETURN_IF_ERROR(refuse(of_samples, cause));
  }
  if (plan.vnni && plan.op_list.reduce_range)
    return Error(ErrorId::kConflictingOptions,
                 "--vnni and --reduce-range: got both, wanted one: all codes of the weights, or one bit less");
  if (plan.weight_symmetric == false && !target.HasOpList())
    PREON_RETURN_IF_ERROR(refuse("WeightSymmetric", with_target));
  if (plan.exclude.weights && !target.FollowsRuntime()) PREON_RETURN_IF_ERROR(refuse("--float-weights", with_target));
  if (plan.exclude.weights && plan.compat != Compat::kOff)
    PREON_RETURN_IF_ERROR(refuse("--float-weights", StrCat("--compat ", CompatName(plan.compat))));
  if (plan.vnni && target.HasOpList()) PREON_RETURN_IF_ERROR(refuse("--vnni", with_target));
  if (plan.op_list.format && !target.HasExtendedFormat())
    PREON_RETURN_IF_ERROR(ReportIgnored(options.given.origins, "--format",
                                        StrCat("as extended with ", with_target, "; only --target quark has it"),
                                        warnings));
  if (!target.QuantizesActivations()) return refuse(OptionsOfActivations(plan), with_target);
  const GivenOption of_blocks[] = {{plan.blocks.accuracy_level.has_value(), "--accuracy-level"},
                                   {plan.weight_rule.method == WeightMethod::kHqq, "--weight-method hqq"}};
  return refuse(of_blocks, with_target);
}

namespace {

// Quark's key, unlike --weight-form, leaves block formats behind their operator.
Status CheckWeightForm(const Target& target, const SettingOrigins& origins, PlanOptions& plan, Warnings* warnings) {
  if (!target.HasWeightForms() && plan.weight_form) {
    if (std::exchange(plan.weight_form, std::nullopt) == WeightForm::kPacked) return Status::Ok();  // as always
    return ReportIgnored(origins, "--weight-form", StrCat("with --target ", target.name()), warnings);
  }
  const bool by_key = origins.key_of.contains("weight-form") && plan.weight_form == WeightForm::kPacked;
  const bool has_blocks =
      plan.weight.block() != nullptr || std::ranges::any_of(plan.settings.layers, [](const LayerOverride& layer) {
        return layer.weight && layer.weight->type && layer.weight->type->block() != nullptr;
      });
  if (!by_key || !has_blocks || !target.HasExtendedFormat()) return Status::Ok();
  plan.weight_form.reset();
  return ReportIgnored(origins, "--weight-form",
                       "on weights in a block format: they stay floats in front of its operator", warnings);
}

}  // namespace

// Options of single types.
Status CheckTypeOptions(const Target& target, const SettingOrigins& origins, PlanOptions& plan, Warnings* warnings) {
  PREON_RETURN_IF_ERROR(CheckWeightForm(target, origins, plan, warnings));
  for (const auto& [scaled, type, name] : {std::tuple(plan.scaled.activation, plan.activation, "--activation-scaled"),
                                           std::tuple(plan.scaled.weight, plan.weight, "--weight-scaled")}) {
    const std::string where = StrCat("on ", type.name(), "; wanted float16 or bfloat16");
    if (scaled && !IsHalf(type)) PREON_RETURN_IF_ERROR(ReportIgnored(origins, name, where, warnings));
  }
  const std::vector<TensorType> types = std::as_const(plan).Types();
  const bool has_bfloat16 = std::ranges::find(types, TensorType(DataType::kBFloat16)) != types.end();
  const std::string on_types = StrCat("on ", plan.activation.name(), " and ", plan.weight.name());
  const BFloat16Options& how = plan.bfloat16;
  if ((how.casts || how.clip || how.vaiml) && !has_bfloat16)
    PREON_RETURN_IF_ERROR(ReportIgnored(origins, "--bfloat16", on_types, warnings));
  const bool activation = HasScale(plan.activation, plan.scaled.activation) || plan.HasSettings();
  const bool weight = HasScale(plan.weight, plan.scaled.weight) || plan.HasSettings();
  for (const auto& [given, with, name] :
       {std::tuple(plan.activation_symmetric.has_value(), activation, "--symmetric"),
        std::tuple(plan.weight_symmetric == false, weight, "WeightSymmetric"),
        std::tuple(!plan.per_channel, weight, "--per-tensor"),
        std::tuple(plan.op_list.min_real_range.has_value(), activation || weight, "MinimumRealRange"),
        std::tuple(plan.op_list.reduce_range, weight, "--reduce-range"),
        std::tuple(plan.weight_rule.method.has_value() && plan.compat == Compat::kOff, weight, "--weight-method"),
        std::tuple(plan.weight_scale_type.has_value(), weight, "--weight-scale-type"),
        std::tuple(plan.scale_type != ScaleType::kFloat32, activation || weight, "--scale-type")}) {
    if (given && !with) PREON_RETURN_IF_ERROR(ReportIgnored(origins, name, on_types, warnings));
  }
  if (!activation) plan.activation_symmetric.reset();  // rounded as they are, they have no zero point
  if (!weight) plan.weight_symmetric.reset();
  if (plan.block_size && !plan.per_channel)
    return Error(ErrorId::kConflictingOptions, "--per-tensor and --block-size: got both, wanted one");
  if (how.vaiml && plan.weight_form)
    return Error(ErrorId::kConflictingOptions,
                 "--weight-form: has no effect with --bfloat16 vaiml, which folds weights");
  const bool has_blocks = std::ranges::any_of(types, [](const TensorType& type) { return type.block() != nullptr; });
  // RefineBlockAxis=false, unlike the option, may be there without an axis to refine.
  if (!plan.blocks.refine_axis && !has_blocks && !origins.key_of.contains("keep-block-axis"))
    return ReportIgnored(origins, "--keep-block-axis", "without a block format", warnings);
  return Status::Ok();
}

// Block types get the attributes of their operator. Attributes of an operator that no type has are an error.
Status SetAttributes(const TypeOptions& types, const SettingOrigins& origins, const std::vector<TensorType*>& of_plan,
                     std::string_view on_types, Warnings* warnings) {
  for (const bool mx : {false, true}) {
    const BlockAttributes& attributes = mx ? types.mx_attributes : types.bfp_attributes;
    if (attributes.empty()) continue;
    const char* option = mx ? "--mx-attribute" : "--bfp-attribute";
    bool used = false;
    for (TensorType* type : of_plan) {
      if (type->block() == nullptr || (type->block()->family == BlockSpec::Family::kMx) != mx) continue;
      Result<BlockSpec> spec = WithAttributes(*type->block(), attributes);
      if (!spec.ok()) return std::move(spec).status().WithContext(option);
      *type = TensorType(*spec);
      used = true;
    }
    if (!used) PREON_RETURN_IF_ERROR(ReportIgnored(origins, option, std::string(on_types), warnings));
  }
  return Status::Ok();
}

// Of methods that want all values in the data's order.
Status CheckInOrder(const CalibrationOptions& calibration, const std::string& saved_ranges, const std::string& method,
                    const SettingOrigins& origins) {
  for (const auto& [given, option] :
       {std::pair(calibration.workers.count > 1, "workers"), std::pair(calibration.checkpoint.resume, "resume"),
        std::pair(calibration.checkpoint.seconds.has_value(), "checkpoint"),
        std::pair(!saved_ranges.empty(), "save-and-restore")}) {
    if (given)
      return Error(ErrorId::kConflictingOptions, NameOf(option, origins),
                   ": can't be used with a method that depends on the order of the samples (", method,
                   "): they must run in one pass");
  }
  return Status::Ok();
}

Status CheckRandom(const SourceOptions& from, const RandomOptions& random, bool searches, const SettingOrigins& origins,
                   Warnings* warnings) {
  const RandomValues& values = random.values;
  if (from.has_sources() && from.random_samples > 0) warnings->push_back("UseRandomData: has no effect with --data");
  if (from.has_random()) return Status::Ok();
  for (const auto& [given, name] :
       {std::pair(!values.shapes.empty(), "--random-shape"), std::pair(!values.ranges.empty(), "--random-range")}) {
    if (given) PREON_RETURN_IF_ERROR(ReportIgnored(origins, name, "without random samples", warnings));
  }
  if (from.has_sources() && from.random_samples == 0 && random.seed != 0 && !searches)
    return ReportIgnored(origins, "--seed", "without random samples", warnings);
  return Status::Ok();
}

Status CheckPreprocess(const SourceOptions& from, const std::string& preprocess, const SettingOrigins& origins,
                       Warnings* warnings) {
  const bool media = std::ranges::any_of(from.sources, MayHoldMedia) ||
                     std::ranges::any_of(from.inputs, [](const auto& input) { return MayHoldMedia(input.second); });
  if (preprocess.empty() || media || !from.has_sources()) return Status::Ok();
  return ReportIgnored(origins, "--preprocess", "without images or sound", warnings);
}

void WarnOfDoubtful(const std::map<std::string, std::string>& keys, const TensorType& activation, bool symmetric,
                    std::string_view symmetric_name, Warnings* warnings) {
  const DataType type = activation.type();
  if (symmetric && IsIntType(type) && IntFormat{type}.q_min() == 0)
    warnings->push_back(StrCat(symmetric_name, " on ", activation.name(), ": the zero point is the middle code"));
  const auto percentile = keys.find("Percentile");
  if (percentile != keys.end() && ParseNumber<double>(percentile->second).value_or(100) <= 50)
    warnings->push_back(StrCat("Percentile ", percentile->second, ": cuts off at least half of the values"));
}

}  // namespace preon
