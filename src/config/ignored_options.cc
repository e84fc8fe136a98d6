#include "config/ignored_options.h"

#include <algorithm>

namespace preon {

std::string NameOf(std::string_view option, const SettingOrigins& origins) {
  const auto key = origins.key_of.find(std::string(option));
  return key == origins.key_of.end() ? StrCat("--", option) : key->second;
}

Status ReportIgnored(const SettingOrigins& origins, std::string_view setting, std::string_view where,
                     std::vector<std::string>* warnings) {
  const std::string option(setting.substr(setting.starts_with("--") ? 2 : 0));
  const auto key = origins.key_of.find(option);
  const std::string said = StrCat(key == origins.key_of.end() ? setting : key->second, ": has no effect ");
  const std::string message = StrCat(said, where, key == origins.key_of.end() ? "" : StrCat(" (here ", setting, ")"));
  if (!origins.hints.contains(option)) return Error(ErrorId::kConflictingOptions, message);
  const bool told =
      std::ranges::any_of(*warnings, [&](const std::string& warning) { return warning.starts_with(said); });
  if (!told) warnings->push_back(message);
  return Status::Ok();
}

}  // namespace preon
