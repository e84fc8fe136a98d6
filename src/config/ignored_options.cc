#include "config/ignored_options.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace preon {
namespace {

constexpr std::string_view kDashes = "--";
// What messages call an option without its dashes; other words in front may be names of tensors.
constexpr std::string_view kWithoutDashes[] = {"overrides", "passthrough", "workers"};

// The option with which a message begins, of those that a key stood for: "--NAME …" or "NAME: …"; the longest. Or none.
std::string_view OptionOf(std::string_view message, const SettingOrigins& origins) {
  const bool has_dashes = message.starts_with(kDashes);
  if (has_dashes) message.remove_prefix(kDashes.size());
  std::string_view longest;
  for (const auto& [option, key] : origins.key_of) {
    if (!message.starts_with(option) || option.size() < longest.size()) continue;
    const std::string_view rest = message.substr(option.size());
    const bool ends = rest.empty() || (std::isalnum(static_cast<unsigned char>(rest[0])) == 0 && rest[0] != '-');
    const bool is_bare = std::ranges::find(kWithoutDashes, option) != std::end(kWithoutDashes) && rest.starts_with(':');
    if (has_dashes ? ends : is_bare) longest = option;
  }
  return longest;
}

// "got --symmetric false" as "got ActivationSymmetric false".
std::string WithGivenByKey(std::string message, const SettingOrigins& origins) {
  constexpr std::string_view kGot = "got --";
  const size_t got = message.find(kGot);
  if (got == std::string::npos) return message;
  const size_t begin = got + kGot.size();
  const size_t end = std::min(message.find_first_of(" ,:;", begin), message.size());
  const auto key = origins.key_of.find(message.substr(begin, end - begin));
  if (key != origins.key_of.end()) message.replace(begin - kDashes.size(), end - begin + kDashes.size(), key->second);
  return message;
}

// The value in " VALUE: …" behind an option that only flags stand for: "EnableNPUCnn" of "--target npu-cnn".
std::string ValueOfOption(std::string_view option, std::string_view rest) {
  if (option != "target" || !rest.starts_with(' ')) return "";
  const std::string_view value = rest.substr(0, rest.find(':'));
  return value.size() < rest.size() && value.find(' ', 1) == value.npos ? std::string(value) : "";
}

}  // namespace

std::string NamedByKey(std::string message, const SettingOrigins& origins) {
  message = WithGivenByKey(std::move(message), origins);
  const std::string option(OptionOf(message, origins));
  if (option.empty()) return message;
  const bool has_dashes = message.starts_with(kDashes);
  const std::string& key = origins.key_of.at(option);
  const size_t end = option.size() + (has_dashes ? kDashes.size() : 0);
  const std::string value = has_dashes ? ValueOfOption(option, std::string_view(message).substr(end)) : "";
  message.replace(0, end + value.size(), key);
  return has_dashes ? StrCat(message, " (here ", kDashes, option, value, ")") : message;
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
  constexpr std::string_view kHasNo = ": has no effect ";
  const std::string message = NamedByKey(StrCat(setting, kHasNo, where), origins);
  const std::string option(setting.substr(setting.starts_with(kDashes) ? kDashes.size() : 0));
  if (!origins.hints.contains(option)) return Error(ErrorId::kConflictingOptions, message);
  const std::string begin = message.substr(0, message.find(kHasNo) + kHasNo.size());
  const bool told =
      std::ranges::any_of(*warnings, [&](const std::string& warning) { return warning.starts_with(begin); });
  if (!told) warnings->push_back(message);
  return Status::Ok();
}

}  // namespace preon
