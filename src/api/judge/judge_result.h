// What a result is judged by before it is written: requirements and alarms.
#pragma once

#include "config/options.h"
#include "report/results/results.h"

namespace preon {

/// Errors: kSizeNotReached where the file is larger.
Status CheckSize(int64_t bytes, int64_t most_bytes, const std::string& output);

/// Fills requirements and alarms, and warns of what holds but not surely. Errors: kRequirementNotMet; kMissingOption
/// where a requirement needs what was not measured.
Status JudgeResult(const std::vector<Requirement>& requirements, QuantizeResult& result);

}  // namespace preon
