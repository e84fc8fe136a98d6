#include "quantize/settings/tensor_settings.h"

#include <algorithm>
#include <string>

#include "base/spelling.h"

namespace preon {
namespace {

Status CheckType(std::string_view target, std::span<const DataType> types, const TensorType& type) {
  if (std::ranges::find(types, type.type()) != types.end()) return Status::Ok();
  std::vector<std::string> names;
  for (const DataType known : types) names.emplace_back(DataTypeName(known));
  return Error(ErrorId::kNotYetSupported, "target ", target, " does not support type '", type.name(),
               "'; it supports: ", JoinNames(names));
}

// Floating types and blocks have their zero in the middle.
template <typename Plan>
void SetWantedType(const TensorType& type, Plan& plan) {
  plan.block.reset();
  if (type.block() != nullptr) plan.block = BlockPlan{*type.block()};
  plan.format.type = type.type();
  plan.format.bits = type.code_bits();
  if (plan.format.floating()) plan.format.symmetric = true;
}

}  // namespace

void SetGranularity(bool per_channel, int64_t block_size, const ScaleAxes& axes, WeightPlan& weight) {
  const bool blocks = block_size > 0 && axes.reduced >= 0;
  weight.block_size = blocks ? block_size : 0;
  weight.axis = blocks ? axes.reduced : per_channel ? axes.channel : -1;
}

TensorOverride Merged(const TensorOverride& over, const TensorOverride& under) {
  const auto is_integer = [](const TensorType& type) { return type.block() == nullptr && IsIntType(type.type()); };
  if (over.type && under.type && is_integer(*over.type) != is_integer(*under.type)) return over;
  TensorOverride merged = over;
  const auto fill = [](auto& field, const auto& other) {
    if (!field) field = other;
  };
  fill(merged.type, under.type);
  fill(merged.symmetric, under.symmetric);
  fill(merged.scale_type, under.scale_type);
  fill(merged.method, under.method);
  if (!over.axis && !over.per_channel) {
    merged.axis = under.axis;
    merged.per_channel = under.per_channel;
  }
  fill(merged.block_size, under.block_size);
  fill(merged.reduce_range, under.reduce_range);
  if (over.range && under.range) merged.range = over.range.OverBounds(under.range);
  const bool fixed = over.range || over.params || !over.channel_ranges.empty() || !over.channel_params.empty();
  if (!fixed) {
    merged.range = under.range;
    merged.params = under.params;
    merged.channels = under.channels;
    merged.channel_ranges = under.channel_ranges;
    merged.channel_params = under.channel_params;
  }
  if (over.converts.empty()) merged.converts = under.converts;
  return merged;
}

void ApplyOverride(const TensorOverride& wanted, ActivationPlan& activation) {
  if (wanted.type) SetWantedType(*wanted.type, activation);
  if (wanted.symmetric) activation.format.symmetric = *wanted.symmetric;
  if (wanted.scale_type) activation.scale_type = *wanted.scale_type;
  if (wanted.range.complete() || (wanted.range && activation.source == RangeSource::kFixed)) {
    activation.source = RangeSource::kFixed;
    activation.fixed = wanted.range.Over(activation.fixed);
  } else {
    activation.bounds = wanted.range;
  }
  activation.params = wanted.params;
  activation.method = wanted.method.value_or("");
  for (const ConvertOverride& convert : wanted.converts) {
    const DataType type = convert.type.type();
    ConvertPlan& plan = activation.converts.emplace_back();
    if (convert.type.block() != nullptr) plan.block = BlockPlan{*convert.type.block()};
    plan.format = {
        type, convert.symmetric.value_or(activation.format.symmetric || (!plan.block && IntFormat{type}.floating()))};
    plan.scale_type = convert.scale_type.value_or(activation.scale_type);
    plan.range = convert.range;
    plan.params = convert.params;
    if (IsHalf(convert.type) && !plan.range && !plan.params) plan.params = QuantParams{1, 0};  // rounded as they are
    plan.nodes = convert.nodes;
  }
}

void ApplyOverride(const TensorOverride& wanted, const ScaleAxes& axes, WeightPlan& weight) {
  if (wanted.type) SetWantedType(*wanted.type, weight);
  if (wanted.symmetric) weight.format.symmetric = *wanted.symmetric;
  if (wanted.scale_type) weight.scale_type = *wanted.scale_type;
  if (wanted.reduce_range) weight.format.reduce_range = *wanted.reduce_range;
  weight.range = wanted.range;
  weight.params = wanted.params;
  if (wanted.method) weight.rule.method = *wanted.method == "minmse" ? WeightMethod::kMinMse : WeightMethod::kMinMax;
  weight.channel_ranges = wanted.channel_ranges;
  weight.channel_params = wanted.channel_params;
  if (wanted.per_channel || wanted.block_size)
    SetGranularity(wanted.per_channel.value_or(true), wanted.block_size.value_or(0), axes, weight);
  if (wanted.axis) {
    weight.axis = *wanted.axis;
    weight.block_size = wanted.block_size.value_or(0);
  }
  if (weight.range || weight.params) SetGranularity(false, 0, axes, weight);
}

Status CheckTypes(std::string_view target, std::span<const DataType> types, const TensorType& activation,
                  const TensorType& weight, const TensorSettings& settings) {
  PREON_RETURN_IF_ERROR(CheckType(target, types, activation).WithContext("--activation"));
  PREON_RETURN_IF_ERROR(CheckType(target, types, weight).WithContext("--weight"));
  for (const auto& [tensor, wanted] : settings.overrides) {
    if (wanted.type) PREON_RETURN_IF_ERROR(CheckType(target, types, *wanted.type).WithContext("overrides: ", tensor));
  }
  for (const TensorType& type : settings.Types())
    PREON_RETURN_IF_ERROR(CheckType(target, types, type).WithContext("a layer"));
  return Status::Ok();
}

std::vector<std::string> IgnoredTensorSettings(const std::map<std::string, TensorOverride>& overrides,
                                               const std::map<std::string, TensorOverride>& base_overrides,
                                               const QuantPlan& plan) {
  std::set<std::string> ignored;
  for (const auto* settings : {&overrides, &base_overrides}) {
    for (const auto& [tensor, wanted] : *settings)
      if (!plan.activations.contains(tensor) && !plan.weights.contains(tensor) &&
          !plan.dynamic.weights.contains(tensor))
        ignored.insert(tensor);
  }
  std::vector<std::string> warnings;
  for (const std::string& tensor : ignored)
    warnings.push_back(StrCat("overrides: tensor '", tensor, "' stays float, so its override has no effect"));
  return warnings;
}

}  // namespace preon
