#include "report/report_file.h"

namespace preon {

Result<ReportFormat> ReportFormatOf(const std::string& path) {
  if (path.ends_with(".json")) return ReportFormat::kJson;
  if (path.ends_with(".txt")) return ReportFormat::kText;
  if (path.ends_with(".html")) return ReportFormat::kHtml;
  return Error(ErrorId::kBadOptionValue, "got '", path, "', wanted a name that ends with .html, .json or .txt");
}

}  // namespace preon
