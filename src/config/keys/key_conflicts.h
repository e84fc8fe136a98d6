// Keys that contradict each other, or that are ignored with or without another.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/options.h"

namespace preon {

class Target;

/// `keys`: those that were set (GivenSettings::keys). `target`: null where there is none of the name.
/// Errors: kConflictingOptions with both keys, or with a key and the target that does not have it. Keys that are
/// ignored: ReportIgnored (ignored_options.h). A key that never has an effect is a warning.
Status CheckKeyConflicts(const std::map<std::string, std::string>& keys, const Target* target,
                         const SettingOrigins& origins, std::vector<std::string>* warnings);

}  // namespace preon
