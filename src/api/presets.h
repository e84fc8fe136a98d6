// Presets: names for sets of option values.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/options.h"

namespace preon {

struct ConfigPreset {
  std::string_view name;
  std::string_view summary;
  std::vector<std::pair<std::string_view, std::string_view>> values;  ///< option name, value
};

/// In the order of help.
std::vector<ConfigPreset> ConfigPresets();

/// Case is ignored; the reference's "_CONFIG" and "_QCONFIG" endings are accepted.
/// Errors: kUnknownOption with the nearest name; kNotYetSupported for the reference's presets that need a later
/// version.
Status ApplyPreset(Options& options, std::string_view name);

}  // namespace preon
