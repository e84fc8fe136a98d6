#include "api/config.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "api/option_table.h"
#include "api/presets.h"
#include "api/reference_keys.h"
#include "base/file.h"
#include "formats/tensor_type.h"
#include "quantize/overrides.h"

namespace preon {
namespace {

using Json = nlohmann::json;

Status BadKey(const std::string& key, std::vector<std::string> known) {
  return Error(ErrorId::kBadConfig, "key '", key, "' is unknown", DidYouMean(key, known));
}

// The value as the option table's setters take it. Errors: kBadConfig for objects and null.
Result<std::string> Scalar(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number()) return value.dump();
  return Error(ErrorId::kBadConfig, "got ", value.type_name(), ", wanted a string, a number, true or false");
}

Status ApplyMethodOptions(Options& options, const Json& value) {
  if (!value.is_object())
    return Error(ErrorId::kBadConfig, "method_options: got ", value.type_name(), ", wanted an object");
  for (const auto& [name, setting] : value.items()) {
    // A list of numbers ("PercentileCandidates") is written as the methods read it.
    Result<std::string> text = setting.is_array() ? setting.dump() : Scalar(setting);
    if (!text.ok()) return std::move(text).status().WithContext("method_options: ", name);
    options.method_options[name] = *text;
  }
  return Status::Ok();
}

Status ApplyExtraOptions(Options& options, const Json& value) {
  if (!value.is_object())
    return Error(ErrorId::kBadConfig, "extra_options: got ", value.type_name(), ", wanted an object");
  for (const auto& [name, setting] : value.items()) {
    const Status set = SetReferenceKey(options, name, setting.is_string() ? setting.get<std::string>() : setting.dump());
    if (!set.ok()) return Error(ErrorId::kBadConfig, "extra_options: ", set.message());
  }
  return Status::Ok();
}

// Errors: kBadConfig for what is no number from `min` to `max`.
Result<double> Number(const Json& object, const char* key, double min, double max) {
  const Json& value = object.at(key);
  if (!value.is_number()) return Error(ErrorId::kBadConfig, key, ": got ", value.type_name(), ", wanted a number");
  const double number = value.get<double>();
  if (number >= min && number <= max) return number;
  return Error(ErrorId::kBadConfig, key, ": got ", value.dump(), ", wanted a number from ", min, " to ", max);
}

// True with both keys of a pair, false without any.
Result<bool> HasPair(const Json& object, const char* first, const char* second) {
  if (object.contains(first) == object.contains(second)) return object.contains(first);
  return Error(ErrorId::kBadConfig, "got one of ", first, " and ", second, ", wanted both");
}

Result<Range> ParseRange(const Json& value) {
  PREON_ASSIGN_OR_RETURN(const double min, Number(value, "rmin", -FLT_MAX, FLT_MAX));
  PREON_ASSIGN_OR_RETURN(const double max, Number(value, "rmax", -FLT_MAX, FLT_MAX));
  if (min <= max) return Range{static_cast<float>(min), static_cast<float>(max)};
  return Error(ErrorId::kBadConfig, "rmin: got ", min, " with rmax ", max, ", wanted rmin <= rmax");
}

// Without a type of the override's own, only planning knows the codes that the zero point must be one of.
Result<QuantParams> ParseParams(const Json& value, const std::optional<TensorType>& type) {
  PREON_ASSIGN_OR_RETURN(const double scale, Number(value, "scale", FLT_MIN, FLT_MAX));
  PREON_ASSIGN_OR_RETURN(const double zero_point, Number(value, "zero_point", -DBL_MAX, DBL_MAX));
  if (zero_point != std::nearbyint(zero_point) || zero_point < INT32_MIN || zero_point > UINT32_MAX) {
    return Error(ErrorId::kBadConfig, "zero_point: got ", value["zero_point"].dump(),
                 ", wanted an integer that the tensor's type can hold");
  }
  const QuantParams params{static_cast<float>(scale), static_cast<int64_t>(zero_point)};
  if (type && type->block() == nullptr) PREON_RETURN_IF_ERROR(CheckZeroPoint(params, type->type()));
  return params;
}

Result<TensorOverride> ParseOverride(const Json& value) {
  static constexpr const char* kKeys[] = {"type", "symmetric", "scale_type", "rmin", "rmax", "scale", "zero_point"};
  if (!value.is_object()) return Error(ErrorId::kBadConfig, "got ", value.type_name(), ", wanted an object");
  for (const auto& [key, ignored] : value.items()) {
    if (std::ranges::find(kKeys, key) == std::end(kKeys)) return BadKey(key, {std::begin(kKeys), std::end(kKeys)});
  }
  TensorOverride parsed;
  if (value.contains("type")) {
    PREON_ASSIGN_OR_RETURN(const std::string type, Scalar(value["type"]));
    PREON_ASSIGN_OR_RETURN(parsed.type, ParseTensorType(type));
  }
  if (value.contains("symmetric")) {
    if (!value["symmetric"].is_boolean()) return Error(ErrorId::kBadConfig, "symmetric: wanted true or false");
    parsed.symmetric = value["symmetric"].get<bool>();
  }
  if (value.contains("scale_type")) {
    PREON_ASSIGN_OR_RETURN(const std::string type, Scalar(value["scale_type"]));
    PREON_ASSIGN_OR_RETURN(parsed.scale_type, ParseScaleType(type));
  }
  PREON_ASSIGN_OR_RETURN(const bool has_range, HasPair(value, "rmin", "rmax"));
  if (has_range) {
    PREON_ASSIGN_OR_RETURN(parsed.range, ParseRange(value));
  }
  PREON_ASSIGN_OR_RETURN(const bool has_params, HasPair(value, "scale", "zero_point"));
  if (has_params) {
    PREON_ASSIGN_OR_RETURN(parsed.params, ParseParams(value, parsed.type));
  }
  return parsed;
}

Status ApplyOverrides(Options& options, const Json& value) {
  if (!value.is_object()) return Error(ErrorId::kBadConfig, "overrides: got ", value.type_name(), ", wanted an object");
  for (const auto& [tensor, setting] : value.items()) {
    Result<TensorOverride> parsed = ParseOverride(setting);
    if (!parsed.ok()) return std::move(parsed).status().WithContext("overrides: ", tensor);
    options.plan.overrides[tensor] = *parsed;
  }
  return Status::Ok();
}

Status ApplyOption(Options& options, const std::string& key, const Json& value) {
  std::string name = key == "exclude_types" ? "exclude-type" : key;
  std::ranges::replace(name, '_', '-');
  const auto spec = std::ranges::find(OptionTable(), name, &OptionSpec::name);
  if (spec == OptionTable().end()) {
    std::vector<std::string> known = {"method_options", "extra_options", "overrides", "exclude_types"};
    for (const OptionSpec& option : OptionTable()) known.emplace_back(option.name);
    return BadKey(key, known);
  }
  if (value.is_array() && spec->kind != OptionKind::kList) {
    return Error(ErrorId::kBadConfig, key, ": got a list, wanted one value");
  }
  for (const Json& item : value.is_array() ? value : Json::array({value})) {
    Result<std::string> text = Scalar(item);
    if (!text.ok()) return std::move(text).status().WithContext(key);
    const Status set = spec->set(options, *text);
    // Inside a file every mistake is one of the configuration; what is only missing in this version stays that.
    if (!set.ok() && set.id() == ErrorId::kNotYetSupported) return Status(set).WithContext(key);
    if (!set.ok()) return Error(ErrorId::kBadConfig, key, ": ", set.message());
  }
  return Status::Ok();
}

}  // namespace

Status ApplyConfigText(Options& options, const std::string& text, const std::string& name) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false, /*ignore_comments=*/true);
  if (!json.is_object()) return Error(ErrorId::kBadConfig, name, ": not a JSON object");
  for (const auto& [key, value] : json.items()) {
    Status applied = key == "method_options"  ? ApplyMethodOptions(options, value)
                     : key == "extra_options" ? ApplyExtraOptions(options, value)
                     : key == "overrides"     ? ApplyOverrides(options, value)
                                              : ApplyOption(options, key, value);
    PREON_RETURN_IF_ERROR(std::move(applied).WithContext(name));
  }
  options.settings.clear();  // of extra_options; the file is known
  return Status::Ok();
}

Status ApplyConfig(Options& options, const std::string& name) {
  if (name.find_first_of("/.") == std::string::npos) return ApplyPreset(options, name);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(name, ignored)) {
    return Error(ErrorId::kBadOptionValue, "--config: got '", name, "', wanted a file that exists or a preset");
  }
  options.config_file = name;
  PREON_ASSIGN_OR_RETURN(const std::string text, ReadFile(name));
  return ApplyConfigText(options, text, name);
}

}  // namespace preon
