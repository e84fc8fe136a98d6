#include "config/files/config.h"

#include <filesystem>

#include "base/file.h"
#include "config/files/config_object.h"
#include "config/files/presets.h"
#include "config/files/qconfig.h"
#include "config/json_text.h"
#include "config/yaml.h"

namespace preon {
namespace {

using Json = nlohmann::json;

Status ApplyConfigJson(Options& options, const Json& json, const std::string& name) {
  if (!json.is_object()) return Error(ErrorId::kBadConfig, name, ": not a JSON object");
  PREON_RETURN_IF_ERROR(
      (IsQConfig(json) ? ApplyQConfig(options, json) : ApplyConfigObject(options, json)).WithContext(name));
  options.given.settings.clear();  // the file is known
  return Status::Ok();
}

}  // namespace

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
