// The keys of a configuration file that is no QConfig.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/status.h"
#include "config/options.h"

namespace preon {

/// Applies an object whose keys are long option names ('_' may stand for '-') and values strings, numbers, true/false
/// or lists of these; besides them:
///   "method_options": {"Percentile": 99.99}
///   "extra_options": {"CalibDataSize": 100}, by Quark's names (config/keys/key_spec.h)
///   "overrides": {"tensor": {...}}, settings of single tensors (config/tensor_overrides.h)
/// Errors: kBadConfig naming the key, with the nearest spelling; kNotYetSupported.
Status ApplyConfigObject(Options& options, const nlohmann::json& json);

/// Keys of Quark with their values. Errors: as above.
Status ApplyExtraOptions(Options& options, const nlohmann::json& keys);

}  // namespace preon
