#include "search/space/space_file.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "config/files/config.h"
#include "config/json_text.h"
#include "config/option_table.h"
#include "config/resolve/resolve_options.h"
#include "config/searched_options.h"
#include "config/yaml.h"

namespace preon {
namespace {

Status CheckKey(const std::string& key) {
  std::string name = key;
  std::ranges::replace(name, '_', '-');
  const bool is_option = std::ranges::find(OptionTable(), name, &OptionSpec::name) != OptionTable().end();
  if (is_option && !MayVary(name))
    return Error(ErrorId::kBadConfig, key, ": can't be searched: it does not say how a model is quantized");
  return Status::Ok();
}

}  // namespace

Result<SearchSpace> LoadSpace(const std::string& given, const Options& options, const Builtins& builtins) {
  const bool is_text = given.starts_with('{');
  const std::string name = is_text ? "space" : given;
  std::error_code ignored;
  if (!is_text && !std::filesystem::is_regular_file(given, ignored))
    return Error(ErrorId::kBadOptionValue, "--space: got '", given, "', wanted a file that exists");
  PREON_ASSIGN_OR_RETURN(const std::string text, is_text ? Result<std::string>(given) : ReadFile(given));
  const bool is_yaml = !is_text && IsYaml(given);
  Result<nlohmann::json> json = is_yaml ? ParseYaml(text, name) : ParseJson(text);
  if (!json.ok() && is_yaml) return json.status();  // has the name
  if (!json.ok()) return std::move(json).status().WithContext(name);
  Result<SearchSpace> space = SearchSpace::Parse(*json);
  if (!space.ok()) return std::move(space).status().WithContext(name);
  for (const std::string& config : space->SingleSettings()) {
    const nlohmann::json setting = nlohmann::json::parse(config);
    for (const auto& [key, value] : setting.items()) PREON_RETURN_IF_ERROR(CheckKey(key).WithContext(name));
    Options alone = options;
    PREON_RETURN_IF_ERROR(ApplyConfigText(alone, config, name));
    if (setting.contains("method_options")) continue;  // of a method that is not there
    const Result<Choices> choices = Resolve(alone, builtins);
    if (!choices.ok() && choices.status().id() == ErrorId::kUnknownOption)
      return Status(choices.status()).WithContext(name);
  }
  return space;
}

}  // namespace preon
