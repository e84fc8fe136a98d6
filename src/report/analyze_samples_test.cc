#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/html/analysis_page.h"
#include "report/json.h"
#include "report/test_analysis.h"
#include "report/text_report.h"

namespace preon {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

TEST(AnalyzeSamples, JsonHasDriversConvergenceCoverAndGroups) {
  const Json json = Json::parse(ToJson(test::WithSamples(test::ExampleAnalysis())));
  const Json& all = json["summary"]["per_sample"];
  EXPECT_EQ(all["tolerance"], 0.01);
  EXPECT_EQ(all["drivers"][0], Json({{"sample", 9}, {"name", "b/2"}, {"extremes", 2.5}, {"shrinks", 1}}));
  EXPECT_EQ(all["convergence"]["samples"], Json({1, 2}));
  EXPECT_EQ(all["convergence"]["median_share"], Json({0.5, 1}));
  EXPECT_EQ(all["convergence"]["more_samples_help"], true);
  EXPECT_EQ(all["cover"]["samples"], Json::array({{{"sample", 9}, {"name", "b/2"}}}));
  EXPECT_EQ(all["groups"]["b"],
            Json({{"samples", 1}, {"missed_without", 2}, {"missing_alone", 0}, {"least_covered", 0.25}}));
  const Json& tensor = json["tensors"]["t1"]["per_sample"];
  EXPECT_EQ(tensor["min"], nullptr);
  EXPECT_EQ(tensor["max"], Json({{"sample", 9}, {"name", "b/2"}, {"reached_by", 2}, {"without", 1.5}}));
  EXPECT_EQ(tensor["shares"], Json({0.5, 1}));
  EXPECT_EQ(tensor["groups"]["a"]["covered_by_others"], Json({{"min", nullptr}, {"max", 4}}));
  EXPECT_EQ(tensor["groups"]["b"]["outlier_ratio"], 7);
}

TEST(AnalyzeSamples, TextSaysTheSame) {
  const std::string text = ToText(test::WithSamples(test::ExampleAnalysis()));
  EXPECT_THAT(text, HasSubstr("9 b/2 (and 1 more)"));
  EXPECT_THAT(text, HasSubstr("more samples would help: the last doubling widened the median tensor's range by 50 %"));
  EXPECT_THAT(text, HasSubstr("1 of 2 samples reach all 3 extremes within 1 %"));
  EXPECT_THAT(text, HasSubstr("2 of 2 tensors"));
  EXPECT_THAT(text, HasSubstr("* t1 "));
}

TEST(AnalyzeSamples, ThePageHasCurvesAndTables) {
  const std::string page = AnalysisPage(test::WithSamples(test::ExampleAnalysis()));
  EXPECT_THAT(page, HasSubstr("<b>Convergence</b>"));
  EXPECT_THAT(page, HasSubstr("<b>Convergence over the number of samples</b>"));
  EXPECT_THAT(page, HasSubstr("<b>Groups: covered by the others</b>"));
  EXPECT_THAT(page, HasSubstr("<dt>max from</dt><dd>9 <code>b/2</code> and 1 more; without 1.5</dd>"));
}

TEST(AnalyzeSamples, WithoutRowsEachFormSaysHowToGetThem) {
  const AnalyzeResult result = test::ExampleAnalysis();
  EXPECT_TRUE(Json::parse(ToJson(result))["summary"]["per_sample"].is_null());
  EXPECT_FALSE(Json::parse(ToJson(result))["tensors"]["t1"].contains("per_sample"));
  EXPECT_THAT(ToText(result), HasSubstr("calibrate --per-sample"));
  EXPECT_THAT(AnalysisPage(result), HasSubstr("calibrate --per-sample"));
}

TEST(AnalyzeSamples, NamesNeitherSteerATerminalNorBecomeMarkup) {
  AnalyzeResult result = test::WithSamples(test::ExampleAnalysis());
  result.analysis.samples->samples[1].name = "\x1b[2J<script>";
  result.analysis.samples->groups[1].name = "\x1b[2J<script>";
  EXPECT_EQ(ToText(result).find('\x1b'), std::string::npos);
  const std::string page = AnalysisPage(result);
  EXPECT_THAT(page, HasSubstr("\\x1b[2J&lt;script&gt;"));
  EXPECT_EQ(page.find("[2J<script>"), std::string::npos);
}

}  // namespace
}  // namespace preon
