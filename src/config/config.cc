#include "config/config.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "config/json_text.h"
#include "config/json_values.h"
#include "config/keys/keys.h"
#include "config/option_table.h"
#include "config/presets.h"
#include "config/qconfig.h"
#include "config/tensor_overrides.h"
#include "config/yaml.h"

namespace preon {
namespace {

using Json = nlohmann::json;

Status BadKey(const std::string& key, std::vector<std::string> known) {
  return Error(ErrorId::kBadConfig, "key '", key, "' is unknown", DidYouMean(key, known));
}

// The value as the option table's setters take it. Errors: kBadConfig for objects and null.
Result<std::string> ScalarText(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number()) return value.dump();
  return WrongType(value, "a string, a number, true or false");
}

Status ApplyMethodOptions(Options& options, const Json& value) {
  if (!value.is_object()) return WrongType(value, "an object").WithContext("method_options");
  for (const auto& [name, setting] : value.items()) {
    // A list of numbers ("PercentileCandidates") is written as the methods read it.
    Result<std::string> text = setting.is_array() ? setting.dump() : ScalarText(setting);
    if (!text.ok()) return std::move(text).status().WithContext("method_options: ", name);
    options.ranges.method_options[name] = *text;
  }
  return Status::Ok();
}

Status ApplyOption(Options& options, const std::string& key, const Json& value) {
  std::string name = key == "exclude_types" ? "exclude-type" : key;
  std::ranges::replace(name, '_', '-');
  const auto spec = std::ranges::find(OptionTable(), name, &OptionSpec::name);
  if (spec == OptionTable().end()) {
    std::vector<std::string> known = {"method_options", "extra_options", "overrides", "exclude_types", "global_config"};
    for (const OptionSpec& option : OptionTable()) known.emplace_back(option.name);
    return BadKey(key, known);
  }
  if (value.is_array() && spec->kind != OptionKind::kList) {
    return Error(ErrorId::kBadConfig, key, ": got a list, wanted one value");
  }
  for (const Json& item : value.is_array() ? value : Json::array({value})) {
    Result<std::string> text = ScalarText(item);
    if (!text.ok()) return std::move(text).status().WithContext(key);
    const Status set = spec->set(options, *text);
    // Inside a file every mistake is one of the configuration; what is only missing in this version stays that.
    if (!set.ok() && set.id() == ErrorId::kNotYetSupported) return Status(set).WithContext(key);
    if (!set.ok()) return Error(ErrorId::kBadConfig, key, ": ", set.message());
  }
  return Status::Ok();
}

}  // namespace

Status ApplyExtraOptions(Options& options, const Json& value) {
  if (!value.is_object()) return WrongType(value, "an object").WithContext("extra_options");
  for (const auto& [name, setting] : value.items()) {
    const Status set = SetKey(options, name, setting.is_string() ? setting.get<std::string>() : setting.dump());
    if (!set.ok() && set.id() == ErrorId::kNotYetSupported) return Status(set).WithContext("extra_options");
    if (!set.ok()) return Error(ErrorId::kBadConfig, "extra_options: ", set.message());
  }
  return Status::Ok();
}

Status ApplyConfigObject(Options& options, const Json& json) {
  for (const auto& [key, value] : json.items()) {
    PREON_RETURN_IF_ERROR(key == "method_options"  ? ApplyMethodOptions(options, value)
                          : key == "extra_options" ? ApplyExtraOptions(options, value)
                          : key == "overrides"     ? AddOverrides(options.plan.overrides, value)
                                                   : ApplyOption(options, key, value));
  }
  return Status::Ok();
}

Status ApplyConfigJson(Options& options, const Json& json, const std::string& name) {
  if (!json.is_object()) return Error(ErrorId::kBadConfig, name, ": not a JSON object");
  PREON_RETURN_IF_ERROR(
      (IsQConfig(json) ? ApplyQConfig(options, json) : ApplyConfigObject(options, json)).WithContext(name));
  options.given.settings.clear();  // the file is known
  return Status::Ok();
}

Status ApplyConfigText(Options& options, const std::string& text, const std::string& name) {
  const Result<Json> json = ParseJson(text);
  if (!json.ok()) return Status(json.status()).WithContext(name);
  return ApplyConfigJson(options, *json, name);
}

Status ApplyConfig(Options& options, const std::string& name) {
  if (name.find_first_of("/.") == std::string::npos) return ApplyPreset(options, name);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(name, ignored)) {
    return Error(ErrorId::kBadOptionValue, "--config: got '", name, "', wanted a file that exists or a preset");
  }
  options.given.config_file = name;
  PREON_ASSIGN_OR_RETURN(const std::string text, ReadFile(name));
  if (!IsYaml(name)) return ApplyConfigText(options, text, name);
  PREON_ASSIGN_OR_RETURN(const Json json, ParseYaml(text, name));
  return ApplyConfigJson(options, json, name);
}

}  // namespace preon
