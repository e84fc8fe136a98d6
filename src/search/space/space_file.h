// The file of --space.
#pragma once

#include <string>

#include "config/builtins.h"
#include "config/options.h"
#include "search/space/search_space.h"

namespace preon {

/// @param given    a JSON or YAML file, or JSON itself
/// @param options  that configurations change: each setting alone must be possible
/// Errors: kBadConfig naming the key, kUnknownOption, those of ApplyConfigText, kIoRead.
Result<SearchSpace> LoadSpace(const std::string& given, const Options& options, const Builtins& builtins);

}  // namespace preon
