// Configuration: a JSON or YAML file with the option table's names as keys, or those of a QConfig, or the name of a
// preset.
#pragma once

#include <string>

#include "base/status.h"
#include "config/options.h"

namespace preon {

/// Applies a configuration to `options`, before any other setting. A file with a global_config is a QConfig
/// (config/files/qconfig.h), any other has the keys of config/files/config_object.h.
///
/// @param name  a file (anything with a '/' or '.'), else a preset.
/// Errors: kBadOptionValue for a file that is not there; kBadConfig naming file and key, with the nearest spelling;
/// kNotYetSupported for presets to come; kIoRead.
Status ApplyConfig(Options& options, const std::string& name);

/// JSON text instead of a file; `name` is for messages.
Status ApplyConfigText(Options& options, const std::string& text, const std::string& name);

}  // namespace preon
