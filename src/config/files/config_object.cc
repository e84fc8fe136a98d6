#include "config/files/config_object.h"

#include <algorithm>

#include "config/compound_options.h"
#include "config/json_values.h"
#include "config/keys/key_spec.h"
#include "config/keys/keys.h"
#include "config/option_table.h"
#include "config/tensor_overrides.h"

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
    const Status set = spec->Set(options, *text);
    // Inside a file every mistake is one of the configuration; what is only missing in this version stays that.
    if (!set.ok() && set.id() == ErrorId::kNotYetSupported) return Status(set).WithContext(key);
    if (!set.ok()) return Error(ErrorId::kBadConfig, key, ": ", set.message());
  }
  return Status::Ok();
}

// A text stands for any type, so that it is read by ParseKeyValue.
bool IsOtherThanText(const KeySpec& key, const Json& value) {
  const bool list = key.type == KeyType::kTexts;
  if (!list && key.type != KeyType::kText) return false;
  return value.is_number() || value.is_boolean() || (value.is_array() && !list) ||
         (value.is_object() && !key.table_form);
}

}  // namespace

Status ApplyExtraOptions(Options& options, const Json& value) {
  if (!value.is_object()) return WrongType(value, "an object").WithContext("extra_options");
  for (const auto& [name, setting] : value.items()) {
    const KeySpec* key = FindKey(name);
    if (key != nullptr && key->range.empty() && IsOtherThanText(*key, setting))
      return WrongType(setting, KeyTypeName(key->type)).WithContext("extra_options: ", key->name);
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
                          : key == "overrides"     ? AddOverrides(options.plan.settings.overrides, value)
                                                   : ApplyOption(options, key, value));
  }
  return Status::Ok();
}

}  // namespace preon
