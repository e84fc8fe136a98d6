#include "config/ignored_options.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace preon {
namespace {

constexpr std::string_view kDashes = "--";

// The option with which a message begins, of those that a key stood for: "--NAME …" or "NAME: …"; the longest. Or none.
std::string_view OptionOf(std::string_view message, const SettingOrigins& origins) {
  const bool has_dashes = message.starts_with(kDashes);
  if (has_dashes) message.remove_prefix(kDashes.size());
  std::string_view longest;
  for (const auto& [option, key] : origins.key_of) {
    const bool starts = message.starts_with(option) && option.size() >= longest.size();
    const char next = starts && message.size() > option.size() ? message[option.size()] : has_dashes ? ' ' : '-';
    if (starts && (next == ':' || (has_dashes && std::isalnum(next) == 0 && next != '-'))) longest = option;
  }
  return longest;
}

}  // namespace

std::string NamedByKey(std::string message, const SettingOrigins& origins) {
  const std::string option(OptionOf(message, origins));
  if (option.empty()) return message;
  const bool has_dashes = message.starts_with(kDashes);
  message.replace(0, option.size() + (has_dashes ? kDashes.size() : 0), origins.key_of.at(option));
  return has_dashes ? StrCat(message, " (here ", kDashes, option, ")") : message;
}

Status NamedByKey(Status status, const SettingOrigins& origins) {
  if (status.ok()) return status;
  return Error(status.id(), NamedByKey(status.message(), origins)).WithHint(status.hint());
}

std::string NameOf(std::string_view option, const SettingOrigins& origins) {
  const auto key = origins.key_of.find(std::string(option));
  return key == origins.key_of.end() ? StrCat("--", option) : key->second;
}

Status ReportIgnored(const SettingOrigins& origins, std::string_view setting, std::string_view where,
                     std::vector<std::string>* warnings) {
  const std::string said = StrCat(setting, ": has no effect "), message = NamedByKey(StrCat(said, where), origins);
  const std::string option(setting.substr(setting.starts_with(kDashes) ? kDashes.size() : 0));
  if (!origins.hints.contains(option)) return Error(ErrorId::kConflictingOptions, message);
  const std::string begin = message.substr(0, message.find(where));
  const bool told =
      std::ranges::any_of(*warnings, [&](const std::string& warning) { return warning.starts_with(begin); });
  if (!told) warnings->push_back(message);
  return Status::Ok();
}

}  // namespace preon
