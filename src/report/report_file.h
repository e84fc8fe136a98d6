// --report FILE: which form a file name asks for.
#pragma once

#include <string>

#include "base/status.h"

namespace preon {

enum class ReportFormat { kHtml, kJson, kText };

/// By the ending: .html, .json, .txt. Errors: kBadOptionValue.
Result<ReportFormat> ReportFormatOf(const std::string& path);

}  // namespace preon
