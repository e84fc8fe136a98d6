#include "api/caller/given_options.h"

#include <algorithm>
#include <map>
#include <utility>

#include "api/caller/reader_source.h"
#include "api/crypto/crypto_run.h"
#include "config/files/config.h"
#include "config/files/qconfig_target.h"
#include "config/keys/keys.h"
#include "config/option_table.h"

namespace preon {
namespace {

// The fields and then the settings, as options of the command line.
std::vector<std::pair<std::string, std::string>> SettingsOf(const QuantizeOptions& given) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const auto& [name, value] : {std::pair{"output", given.output}, std::pair{"calib", given.calibration},
                                    std::pair{"method", given.method}, std::pair{"activation", given.activation},
                                    std::pair{"weight", given.weight}, std::pair{"target", given.target}}) {
    if (!value.empty()) settings.emplace_back(name, value);
  }
  for (const std::string& source : given.data) settings.emplace_back("data", source);
  for (const std::string& node : given.exclude) settings.emplace_back("exclude", node);
  settings.insert(settings.end(), given.settings.begin(), given.settings.end());
  if (given.threads != 0) settings.emplace_back("threads", std::to_string(given.threads));
  return settings;
}

bool TakesOneValue(const std::string& name) {
  const auto option = std::ranges::find(OptionTable(), name, &OptionSpec::name);
  return name == "config" || (option != OptionTable().end() && option->kind == OptionKind::kValue);
}

Status CheckGivenOnce(const std::vector<std::pair<std::string, std::string>>& settings) {
  std::map<std::string, std::string> values;
  for (const auto& [name, value] : settings) {
    const auto [before, first] = values.emplace(name, value);
    if (!first && TakesOneValue(name))
      return Error(ErrorId::kConflictingOptions, name, ": got '", before->second, "' and '", value,
                   "', wanted one value");
  }
  return Status::Ok();
}

}  // namespace

Result<Options> ToOptions(const QuantizeOptions& given) {
  Options options;
  const auto settings = SettingsOf(given);
  PREON_RETURN_IF_ERROR(CheckGivenOnce(settings));
  const auto config = std::ranges::find(settings, "config", &std::pair<std::string, std::string>::first);
  if (config != settings.end()) PREON_RETURN_IF_ERROR(ApplyConfig(options, config->second));
  for (const auto& [name, value] : settings) {
    if (name != "config") PREON_RETURN_IF_ERROR(SetOption(options, name, value));
  }
  PREON_RETURN_IF_ERROR(SettleBlockParameters(options));
  SettleTargetOfQConfig(options);
  if (given.reader && options.data.from.has_samples())
    return Error(ErrorId::kConflictingOptions, "reader and data: got both, wanted one");
  options.precision_distance = DistanceOfCaller(given.precision_distance);
  return options;
}

bool IsCryptoRun(const QuantizeOptions& options) {
  try {
    const Result<Options> given = ToOptions(options);
    return !given.ok() || IsCryptoRun(options.model, given->crypto);
  } catch (const std::exception&) {
    return true;  // Quantize() says why
  }
}

}  // namespace preon
