#include "config/keys/key_setters.h"

#include <set>

namespace preon {

Status SetInTheNameOf(std::string_view key, const std::vector<Setting>& settings,
                      const std::map<std::string, AskedAlgorithm>& asked, SettingOrigins& origins,
                      const std::function<Status()>& set) {
  const size_t set_before = settings.size();
  std::set<std::string> asked_before;
  for (const auto& [algorithm, how] : asked) asked_before.insert(algorithm);
  PREON_RETURN_IF_ERROR(set());
  for (size_t index = set_before; index < settings.size(); ++index)
    origins.key_of.try_emplace(settings[index].name, key);
  for (const auto& [algorithm, how] : asked) {
    if (!asked_before.contains(algorithm)) origins.key_of.try_emplace("algorithm " + algorithm, key);
  }
  return Status::Ok();
}

Status SetNothing(Options&, const KeyValue&) { return Status::Ok(); }

Status SetIfOn(Options& options, const KeyValue& value, std::string_view option, const std::string& to) {
  return value.on ? SetOption(options, option, to) : Status::Ok();
}

Status SetIfOff(Options& options, const KeyValue& value, std::string_view option, const std::string& to) {
  return value.on ? Status::Ok() : SetOption(options, option, to);
}

}  // namespace preon
