// An error as a JSON object: what --json prints where a result would stand.
#pragma once

#include <string>

#include "base/status.h"

namespace preon {

/// The message on one line, without a full stop at its end; control characters are written out, more than 3 kB are
/// shortened in the middle.
std::string ErrorMessage(const Status& error);
/// The hint in the same way; empty where there is none.
std::string ErrorHint(const Status& error);

/// schema, version and error{id, status, message, hint where there is one}. One line without a line feed.
std::string ErrorJson(const Status& error);

}  // namespace preon
