// QConfig: the reference's configuration as it writes it to dictionaries (spec options §4, §5, §18.1). Its fields:
// qconfig_fields.h.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/status.h"
#include "config/options.h"

namespace preon {

/// Has the object the keys of a QConfig?
bool IsQConfig(const nlohmann::json& json);

/// Sets what the configuration says. Its layout is the reference's (target quark) unless the options name a target,
/// before or after; and each of its parts counts for itself, as spec options §5 wants: any method with any scale type.
/// Errors: kBadConfig, naming the field; kNotYetSupported; those of the keys of extra_options.
Status ApplyQConfig(Options& options, const nlohmann::json& config);

/// JSON text.
Status ApplyQConfigText(Options& options, const std::string& text);

}  // namespace preon
