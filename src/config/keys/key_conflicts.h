// Keys that contradict each other, or that are ignored with or without another.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/options.h"

namespace preon {

/// `keys`: those that were set (GivenSettings::keys). Errors: kConflictingOptions with both keys. Keys that are
/// ignored: ReportIgnored (ignored_options.h).
Status CheckKeyConflicts(const std::map<std::string, std::string>& keys, const SettingOrigins& origins,
                         std::vector<std::string>* warnings);

}  // namespace preon
