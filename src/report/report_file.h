// --report FILE: which form a file name asks for, and writing it.
#pragma once

#include <string>

#include "base/file.h"
#include "base/status.h"
#include "report/json.h"
#include "report/text_report.h"

namespace preon {

enum class ReportFormat { kJson, kText };

/// By the ending: .json, .txt. Errors: kNotYetSupported for .html, kBadOptionValue otherwise.
Result<ReportFormat> ReportFormatOf(const std::string& path);

/// Writes `result` to `path` atomically in the form of its ending.
template <typename T>
Status WriteReport(const T& result, const std::string& path) {
  PREON_ASSIGN_OR_RETURN(const ReportFormat format, ReportFormatOf(path));
  return WriteFileAtomically(path, format == ReportFormat::kJson ? ToJson(result) + "\n" : ToText(result));
}

}  // namespace preon
