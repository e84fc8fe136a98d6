// Presets: names for sets of option values.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/options.h"

namespace preon {

struct ConfigPreset {
  std::string name;
  std::string summary;
  std::vector<std::pair<std::string_view, std::string_view>> values;  ///< option name, value
};

/// In the order of help.
std::vector<ConfigPreset> ConfigPresets();

/// Quark's configurations, for target quark.
std::vector<std::string> QConfigPresetNames();

/// Case is ignored. Quark's names: of its older family with or without "_CONFIG", their types and methods for any
/// target; of its newer one with "_QCONFIG", its configurations, for target quark. Errors: kUnknownOption
/// with the nearest name; kNotYetSupported for what a preset needs that this version lacks.
Status ApplyPreset(Options& options, std::string_view name);

}  // namespace preon
