#include "report/html/analysis_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html/html_text.h"
#include "report/test_analysis.h"

namespace preon {
namespace {

using testing::HasSubstr;
using testing::Not;

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(EscapeHtml, LeavesNoMarkupNoControlsAndValidUtf8) {
  EXPECT_EQ(EscapeHtml("a<b>&\"'\n"), "a&lt;b&gt;&amp;&quot;&#39;\\n");
  EXPECT_EQ(EscapeHtml("\xff<"), "\\xff&lt;");
  EXPECT_EQ(EscapeHtml("größe"), "größe");
  EXPECT_EQ(EscapeHtml(""), "");
}

TEST(AnalysisPage, HasARowAndACardPerTensor) {
  const std::string page = AnalysisPage(test::ExampleAnalysis());
  EXPECT_EQ(Count(page, "<article class=\"card\""), 2u);
  EXPECT_EQ(Count(page, "<tr data-name="), 2u);
  EXPECT_EQ(Count(page, "<figure>"), 5u);
  EXPECT_LT(page.find("<tr data-name=\"t1\""), page.find("<tr data-name=\"t0\""));  // the gap first
  EXPECT_EQ(Count(page, "<title>percentile: -1 … 1.5"), 2u);                        // in each card
  EXPECT_THAT(page, HasSubstr("<code>t2</code>: no calibration sample reaches it"));
}

TEST(AnalysisPage, WithoutProductionNothingIsSaidOfIt) {
  AnalyzeResult result = test::ExampleAnalysis();
  result.production.clear();
  result.analysis.by_shift.clear();
  result.analysis.gaps.clear();
  for (TensorAnalysis& tensor : result.analysis.tensors) tensor.production.reset();
  const std::string page = AnalysisPage(result);
  EXPECT_EQ(Count(page, "<figure>"), 2u);
  EXPECT_THAT(page, Not(HasSubstr("coverage")));
}

TEST(AnalysisPage, LoadsNothing) {
  const std::string page = AnalysisPage(test::ExampleAnalysis());
  for (const char* part : {"http:", "https:", "src=", "<link", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(part)));
}

TEST(AnalysisPage, NamesAreNoMarkup) {
  const std::string page = AnalysisPage(test::ExampleAnalysis("\"><script>alert(1)</script>'"));
  EXPECT_EQ(Count(page, "<script>"), 1u);  // its own
  EXPECT_THAT(page, HasSubstr("&quot;&gt;&lt;script&gt;alert(1)"));
  EXPECT_THAT(page, Not(HasSubstr("\"><script>")));
}

TEST(AnalysisPage, NothingToShow) {
  AnalyzeResult result = test::ExampleAnalysis();
  result.analysis = {.not_reached = {"t"}};
  EXPECT_THAT(AnalysisPage(result), HasSubstr("sample reaches it"));
}

}  // namespace
}  // namespace preon
