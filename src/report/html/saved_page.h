// The page of a result that was saved as JSON.
#pragma once

#include <string>

#include "report/results/saved_result.h"

namespace preon {

/// Alarms, warnings and the result's tables; its keys are explained in docs/json.md. The result itself is in the
/// element `data`.
std::string ReportPage(const SavedResult& result);

}  // namespace preon
