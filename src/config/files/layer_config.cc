#include "config/files/layer_config.h"

#include <array>
#include <nlohmann/json.hpp>

#include "config/builtins.h"
#include "config/files/qconfig_fields.h"
#include "config/json_values.h"
#include "formats/combination.h"
#include "quantize/settings/tensor_settings.h"

namespace preon {
namespace {

using Json = nlohmann::json;

// "ScaleType.PowerOf2" or "PowerOf2".
Result<std::string> Member(const Json& spec, const char* key) {
  const Json& value = spec.at(key);
  if (!value.is_string()) return WrongType(value, "a name").WithContext(key);
  const std::string text = value.get<std::string>();
  return text.substr(text.rfind('.') == std::string::npos ? 0 : text.rfind('.') + 1);
}

Result<SpecGranularity> ParseGranularity(const std::string& name) {
  constexpr std::array kNames = {std::pair("Tensor", SpecGranularity::kTensor),
                                 std::pair("Channel", SpecGranularity::kChannel),
                                 std::pair("Group", SpecGranularity::kGroup)};
  for (const auto& [known, granularity] : kNames) {
    if (name == known) return granularity;
  }
  return Error(ErrorId::kBadConfig, "quant_granularity: got '", name, "', wanted Tensor, Channel or Group");
}

// `block_size`: that of groups whose spec names none.
Result<TensorConfig> ParseSpec(const Json& json, std::optional<int64_t> block_size) {
  PREON_RETURN_IF_ERROR(CheckFields(json, "QTensorConfig"));
  for (const char* field : {"symmetric", "scale_type", "calibration_method", "quant_granularity", "data_type"}) {
    if (!json.contains(field))
      return Error(ErrorId::kBadConfig, "", field, " is missing; every QTensorConfig needs it");
  }
  TensorConfig spec;
  if (!json["symmetric"].is_boolean()) return WrongType(json["symmetric"], "true or false").WithContext("symmetric");
  spec.symmetric = json["symmetric"].get<bool>();
  PREON_ASSIGN_OR_RETURN(const std::string scale_type, Member(json, "scale_type"));
  Result<ScaleType> parsed_scale = ParseScaleType(scale_type);
  if (!parsed_scale.ok()) return std::move(parsed_scale).status().WithContext("scale_type");
  spec.scale_type = *parsed_scale;
  PREON_ASSIGN_OR_RETURN(spec.method, Member(json, "calibration_method"));
  const Result<const RangeMethod*> method = MakeBuiltins().methods.Find(spec.method);
  if (!method.ok()) return Status(method.status()).WithContext("calibration_method");
  PREON_ASSIGN_OR_RETURN(const std::string granularity, Member(json, "quant_granularity"));
  PREON_ASSIGN_OR_RETURN(spec.granularity, ParseGranularity(granularity));
  const bool groups = spec.granularity == SpecGranularity::kGroup;
  const Json own = json.value("block_size", Json());
  if (!own.is_null() && !groups)
    return Error(ErrorId::kBadConfig, "block_size: has no effect without quant_granularity Group");
  if (!own.is_null() && (!own.is_number_integer() || own.get<int64_t>() < 1))
    return Error(ErrorId::kBadConfig, "block_size: got ", own.dump(), ", wanted an integer of at least 1");
  if (groups && own.is_null() && !block_size)
    return Error(ErrorId::kBadConfig,
                 "quant_granularity: Group needs a block_size, or extra_options {\"WeightBlockSize\": N}");
  if (groups) spec.block_size = own.is_null() ? *block_size : own.get<int64_t>();
  PREON_ASSIGN_OR_RETURN(const std::string type, Member(json, "data_type"));
  Result<TensorType> parsed_type = ParseWeightType(type);
  if (!parsed_type.ok()) return std::move(parsed_type).status().WithContext("data_type");
  spec.type = *parsed_type;
  return spec;
}

// What the role of a layer says of a tensor. Constants without an axis for groups have a scale per channel.
TensorOverride OverrideOf(const TensorConfig& spec, bool constant) {
  TensorOverride wanted{.type = spec.type};
  if (!spec.is_integer()) return wanted;
  wanted.symmetric = spec.symmetric;
  wanted.scale_type = spec.scale_type;
  wanted.method = ToLower(spec.method);
  if (constant) {
    wanted.per_channel = spec.granularity != SpecGranularity::kTensor;
    wanted.block_size = spec.block_size;
  }
  return wanted;
}

}  // namespace

Result<std::map<std::string, TensorConfig>> ParseLayer(const Json& json, std::optional<int64_t> block_size) {
  PREON_RETURN_IF_ERROR(CheckFields(json, "QLayerConfig"));
  std::map<std::string, TensorConfig> roles;
  for (const auto& [role, spec] : json.items()) {
    if (spec.is_null()) continue;
    Result<TensorConfig> parsed = ParseSpec(spec, block_size);
    if (!parsed.ok()) return std::move(parsed).status().WithContext(role);
    const bool older = role == "activation" && json.contains("input_tensors") && !json["input_tensors"].is_null();
    if (older && json["input_tensors"] != spec)
      return Error(ErrorId::kBadConfig,
                   "Both `activation` and `input_tensors` are provided. Please just use `input_tensors`.");
    roles[role == "activation" ? "input_tensors" : role] = *parsed;
  }
  return roles;
}

Status CheckRole(const TensorConfig& spec, std::string_view role) {
  const bool constant = role == "weight" || role == "bias";
  if (spec.type.code_bits() > 0 && role != "weight")
    return Error(ErrorId::kBadConfig, role, ": data_type: got ", spec.type.name(), ", which only weights can have");
  if (!constant && spec.granularity != SpecGranularity::kTensor)
    return Error(ErrorId::kBadConfig, role, ": quant_granularity: activations have one scale, wanted Tensor");
  const Status exists = spec.is_integer()
                            ? CheckCombination(spec.type, spec.scale_type, Granularity::kPerTensor, spec.symmetric)
                            : Status::Ok();
  if (!exists.ok()) return Error(ErrorId::kBadConfig, role, ": ", exists.message());
  return Status::Ok();
}

void WarnOfIgnoredFields(const TensorConfig& spec, std::string_view role, Options& options) {
  const bool constant = role == "weight" || role == "bias";
  const bool has_scale = HasScale(spec.type, constant ? options.plan.scaled.weight : options.plan.scaled.activation);
  const std::string method = ToLower(spec.method);
  const auto warn = [&](std::string_view field, std::string_view why) {
    options.given.warnings.push_back(StrCat(role, ": ", field, ": has no effect: ", why));
  };
  const std::string no_scale = spec.type.name() + " has no scales that are calibrated";
  if (!has_scale && spec.scale_type != ScaleType::kFloat32)
    warn(StrCat("scale_type ", ScaleTypeName(spec.scale_type)), no_scale);
  if (!has_scale && method != "minmax") warn("calibration_method " + spec.method, no_scale);
  if (!has_scale && spec.granularity != SpecGranularity::kTensor) warn("quant_granularity", no_scale);
  if (!spec.is_integer() && !spec.symmetric) warn("symmetric=false", spec.type.name() + " has no zero point");
  // Percentile is what Int8Spec() and its like have without being asked.
  if (has_scale && constant && method != "minmax" && method != "minmse" && method != "percentile")
    warn("calibration_method " + spec.method, "weights have MinMax or MinMSE only; MinMax is used");
  if (has_scale && !constant && spec.is_integer() && method == "distribution")
    options.given.warnings.push_back(StrCat(
        role, ": calibration_method Distribution: made for 8-bit floating types, not for ", spec.type.name(), ""));
}

LayerOverride LayerOf(const std::map<std::string, TensorConfig>& roles) {
  LayerOverride layer;
  for (const auto& [role, spec] : roles) {
    const TensorOverride wanted = OverrideOf(spec, role == "weight" || role == "bias");
    (role == "input_tensors" ? layer.input
     : role == "weight"      ? layer.weight
     : role == "bias"        ? layer.bias
                             : layer.output) = wanted;
  }
  return layer;
}

}  // namespace preon
