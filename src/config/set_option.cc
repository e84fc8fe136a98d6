#include <algorithm>
#include <utility>

#include "base/spelling.h"
#include "base/text.h"
#include "config/option_table.h"
#include "config/option_values.h"

namespace preon {

Status OptionSpec::Set(Options& options, const std::string& value) const {
  return disables.empty() ? set(options, value) : SetDisabled(options.algorithms.disabled, disables, value);
}

Status SetOption(Options& options, std::string_view name, const std::string& value) {
  const std::span<const OptionSpec> table = OptionTable();
  const auto found = std::ranges::find(table, name, &OptionSpec::name);
  if (found == table.end()) {
    std::vector<std::string> names;
    for (const OptionSpec& option : table) names.emplace_back(option.name);
    return Error(ErrorId::kUnknownOption, "unknown option '", name, "'", DidYouMean(name, names));
  }
  // As a path it would end there and name another file.
  if (value.find('\0') != std::string::npos)
    return Error(ErrorId::kBadOptionValue, "--", name, ": got a zero byte, wanted text");
  options.given.origins.hints.erase(std::string(name));
  options.given.origins.key_of.erase(std::string(name));
  const size_t set_before = options.given.settings.size();
  Status set = found->Set(options, value);
  if (!set.ok()) return found->help.empty() ? std::move(set) : std::move(set).WithContext("--", name);
  for (size_t index = set_before; index < options.given.settings.size(); ++index)
    options.given.settings[index].by_another = true;
  options.given.settings.push_back({std::string(name), value});
  return Status::Ok();
}

}  // namespace preon
