// Keys that contradict each other, or that are ignored with or without another.
#pragma once

#include <string>
#include <vector>

#include "config/options.h"

namespace preon {

/// Errors: kConflictingOptions with both keys. Keys that are ignored: ReportIgnored (ignored_options.h).
Status CheckKeyConflicts(const Options& options, std::vector<std::string>* warnings);

}  // namespace preon
