#include "cli/complaint.h"

#include <unistd.h>

#include <cstdio>

#include "cli/terminal.h"
#include "report/error_json.h"

namespace preon::cli {

std::string ErrorText(const Status& error, bool color) {
  const std::string prefix = StrCat("preon: error [E", GetErrorInfo(error.id()).number, "]");
  std::string text = StrCat(Styled(prefix, Style::kRed, color), " ", ErrorMessage(error), "\n");
  if (!error.hint().empty()) text += StrCat(Styled("hint:", Style::kCyan, color), " ", ErrorHint(error), "\n");
  return text;
}

int Complain(const Status& error, bool json) {
  if (json) std::printf("%s\n", ErrorJson(error).c_str());
  std::fflush(stdout);
  std::fputs(ErrorText(error, ShowsColor(STDERR_FILENO)).c_str(), stderr);
  return GetErrorInfo(error.id()).exit_status;
}

}  // namespace preon::cli
