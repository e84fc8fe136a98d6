#include "base/exit_status.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "base/str_cat.h"

namespace preon {
namespace {

TEST(ExitStatus, IsWhatThePageOfErrorsSays) {
  std::ifstream file("docs/errors.md");
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const ErrorInfo& error : ErrorTable()) {
    const std::string row = StrCat("| E", error.number, " | ", error.title, " | ", ExitStatus(error.id), " | ");
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace preon
