// QConfig: Quark's configuration as it writes it to dictionaries (docs/design/configuration.md). Its fields:
// qconfig_fields.h.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/status.h"
#include "config/options.h"

namespace preon {

/// Has the object a field that only a QConfig has, and no file of options?
bool IsQConfig(const nlohmann::json& json);

/// Sets what the configuration says. The target is quark unless the options name one, before or after. Each part counts
/// for itself: any method with any scale type.
/// Errors: kBadConfig, naming the field; kNotYetSupported; those of the keys of extra_options.
Status ApplyQConfig(Options& options, const nlohmann::json& config);

}  // namespace preon
