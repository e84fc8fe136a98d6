#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html/full_page.h"
#include "report/text_report.h"

namespace preon {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Validate, RowsOfSingleMethodsSayHowTheyWereMade) {
  FullReport report;
  std::vector<ValidatedModel>& models = report.validated.models;
  models = {{.name = std::string(kAsGiven)}, {.name = "method auto", .options = "--method auto"}};
  EXPECT_THAT(ToText(report.validated), Not(HasSubstr("--effort fast")));
  models.push_back({.name = "method minmax", .options = "--method minmax --effort fast"});
  const char* note = "ingle methods are quantized with --effort fast, which fits no codes of weights";
  EXPECT_THAT(ToText(report.validated), HasSubstr(note));
  EXPECT_THAT(ReportPage(report), HasSubstr(note));
}

}  // namespace
}  // namespace preon
