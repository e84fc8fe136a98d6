// --report FILE: the result in the form that the file's name asks for.
#pragma once

#include <string>

#include "base/output/atomic_file.h"
#include "base/status.h"
#include "report/html/report_page.h"
#include "report/html/shown_names.h"
#include "report/json.h"
#include "report/report_file.h"
#include "report/text_report.h"

namespace preon {

/// Written, but without its name. Errors: those of ReportFormatOf, kIoWrite.
template <typename T>
Result<AtomicFile> StageReport(const T& result, const std::string& path, const ShownNames& names) {
  PREON_ASSIGN_OR_RETURN(const ReportFormat format, ReportFormatOf(path));
  switch (format) {
    case ReportFormat::kJson:
      return StageFile(path, WithShownNames(ToJson(result) + "\n", names));
    case ReportFormat::kHtml:
      return StageFile(path, WithShownNames(ReportPage(result), names));
    case ReportFormat::kText:
      break;
  }
  return StageFile(path, WithShownNames(ToText(result), names));
}

/// The same with its name; nothing where `path` is "".
template <typename T>
Status WriteReport(const T& result, const std::string& path, const ShownNames& names) {
  if (path.empty()) return Status::Ok();
  PREON_ASSIGN_OR_RETURN(AtomicFile file, StageReport(result, path, names));
  return file.Commit();
}

}  // namespace preon
