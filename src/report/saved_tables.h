// A result's JSON as tables.
#pragma once

#include <string>

#include "base/status.h"
#include "report/results/saved_result.h"

namespace preon {

/// The tables together show all that the object holds: one for its single values, one for
/// each list of objects and for each object whose values are objects with the same keys.
/// @param text  JSON, checked: at most some levels deep
/// Errors: kResultUnusable, where it is no result of a verb, or of another schema.
Result<SavedContent> ReadSavedResult(const std::string& text);

}  // namespace preon
