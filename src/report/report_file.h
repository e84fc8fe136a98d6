// --report FILE: which form a file name asks for, and writing it there.
#pragma once

#include <string>

#include "base/output/atomic_file.h"
#include "base/status.h"
#include "report/json.h"
#include "report/text_report.h"

namespace preon {

enum class ReportFormat { kJson, kText };

/// By the ending: .json, .txt. Errors: kNotYetSupported for .html, kBadOptionValue otherwise.
Result<ReportFormat> ReportFormatOf(const std::string& path);

/// Writes `result` in the form of the ending of `path`.
template <typename T>
Result<AtomicFile> StageReport(const T& result, const std::string& path) {
  PREON_ASSIGN_OR_RETURN(const ReportFormat format, ReportFormatOf(path));
  return StageFile(path, format == ReportFormat::kJson ? ToJson(result) + "\n" : ToText(result));
}

}  // namespace preon
