// QConfig: the reference's configuration as it writes it to dictionaries (spec options §4, §5, §18.1). Fields are listed in
// QConfigFields, from which help and pages come.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "api/options.h"
#include "base/status.h"

namespace preon {

struct ConfigField {
  std::string_view name;      ///< "QConfig.exclude"
  std::string_view type;
  std::string_view fallback;
  std::string_view meaning;
};
std::span<const ConfigField> QConfigFields();

/// Has the object the keys of a QConfig?
bool IsQConfig(const nlohmann::json& json);

/// Sets what the configuration says. Its layout is the reference's (target quark) unless the options name a target, before or
/// after; and each of its parts counts for itself, as spec options §5 wants: any method with any scale type.
/// Errors: kBadConfig, naming the field; kNotYetSupported; those of the keys of extra_options.
Status ApplyQConfig(Options& options, const nlohmann::json& config);

/// JSON text.
Status ApplyQConfigText(Options& options, const std::string& text);

}  // namespace preon
