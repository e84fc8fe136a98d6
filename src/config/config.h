// Configuration: a JSON or YAML file with the option table's names as keys, or those of a QConfig, or the name of a
// preset.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/status.h"
#include "config/options.h"

namespace preon {

/// Applies a configuration to `options`, before any other setting. Keys are long option names ('_' may stand for '-'),
/// values strings, numbers, true/false or lists of these; besides them:
///   "method_options": {"Percentile": 99.99}
///   "extra_options": {"CalibDataSize": 100}, by the reference's names (config/keys/keys.h)
///   "overrides": {"tensor": {...}}, settings of single tensors (config/tensor_overrides.h)
/// A file with a global_config is a QConfig (config/qconfig.h).
///
/// @param name  a file (anything with a '/' or '.'), else a preset.
/// Errors: kBadOptionValue for a file that is not there; kBadConfig naming file and key, with the nearest spelling;
/// kNotYetSupported for presets to come; kIoRead.
Status ApplyConfig(Options& options, const std::string& name);

/// The keys of an object that is no QConfig.
Status ApplyConfigObject(Options& options, const nlohmann::json& json);
/// Keys of the reference with their values.
Status ApplyExtraOptions(Options& options, const nlohmann::json& keys);

/// JSON text instead of a file; `name` is for messages.
Status ApplyConfigText(Options& options, const std::string& text, const std::string& name);

}  // namespace preon
