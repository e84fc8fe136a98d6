// Keys that contradict each other, or that nothing reads without another (spec options §11, §22).
#pragma once

#include <string>
#include <vector>

#include "config/options.h"

namespace preon {

/// Errors: kConflictingOptions with both keys. Keys that others make idle: see Idle.
Status CheckKeyConflicts(const Options& options, std::vector<std::string>* warnings);

}  // namespace preon
