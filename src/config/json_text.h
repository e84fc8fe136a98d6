// Text that should be JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/status.h"

namespace preon {

/// Comments are skipped. Errors: kBadConfig with line and column for what is no JSON, for a key that an object has
/// twice, with its keys for a number that no double holds, for more than 64 levels.
Result<nlohmann::json> ParseJson(const std::string& text);

}  // namespace preon
