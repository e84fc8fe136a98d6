#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/test_analysis.h"
#include "report/text_report.h"

namespace preon {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

TEST(AnalyzeJson, HasTheFieldsOfTheInterface) {
  const Json json = Json::parse(ToJson(test::ExampleAnalysis()));
  EXPECT_EQ(json["verb"], "analyze");
  EXPECT_TRUE(json.contains("seconds"));
  const Json& tensor = json["tensors"]["t1"];
  EXPECT_EQ(tensor["outlier_ratio"], 0.5);
  EXPECT_EQ(tensor["method"], "percentile");
  EXPECT_EQ(tensor["method_options"], Json({{"Percentile", "99.99"}}));
  EXPECT_EQ(tensor["reason"], "few");
  EXPECT_EQ(tensor["coverage"], 0.125);
  EXPECT_EQ(tensor["coverage_min"], 1);
  EXPECT_EQ(tensor["methods"]["minmax"]["max"], 2);
  EXPECT_EQ(tensor["production"]["clipped"], Json({{"calibration", 0.001}, {"production", 0.25}}));
  EXPECT_EQ(tensor["production"]["deviation_ratio"], nullptr);
  EXPECT_EQ(json["summary"]["production"]["gaps"], Json({"t1"}));
  EXPECT_EQ(json["summary"]["production"]["by_shift"], Json({"t1", "t0"}));
  EXPECT_EQ(json["tensors"]["t2"]["method"], nullptr);
}

TEST(AnalyzeJson, WithoutProductionNothingIsSaidOfIt) {
  AnalyzeResult result = test::ExampleAnalysis();
  result.production.clear();
  for (TensorAnalysis& tensor : result.analysis.tensors) tensor.production.reset();
  const Json json = Json::parse(ToJson(result));
  EXPECT_FALSE(json.contains("production"));
  EXPECT_FALSE(json["summary"].contains("production"));
  EXPECT_FALSE(json["tensors"]["t0"].contains("coverage"));
  EXPECT_THAT(ToText(result), Not(HasSubstr("coverage")));
}

TEST(AnalyzeText, TheWorstComesFirst) {
  const std::string text = ToText(test::ExampleAnalysis());
  EXPECT_THAT(text, HasSubstr("2 of 2 tensors: percentile"));
  EXPECT_THAT(text, HasSubstr("gaps        1 of 2 tensors"));
  EXPECT_THAT(text, HasSubstr("t2: no calibration sample reaches it"));
  EXPECT_THAT(text, HasSubstr("2 of 100 values are infinite"));
  EXPECT_THAT(text, HasSubstr("percentile Percentile=99.99"));
  const size_t gap = text.find("* t1"), fine = text.find("  t0");
  ASSERT_NE(gap, std::string::npos);
  ASSERT_NE(fine, std::string::npos);
  EXPECT_LT(gap, fine);
}

TEST(AnalyzeText, ControlCharactersOfNamesAreWrittenOut) {
  const std::string text = ToText(test::ExampleAnalysis("a\nb\x1b[2J"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("a\nb"), std::string::npos);
  EXPECT_THAT(text, HasSubstr("a\\nb\\x1b[2J"));
}

}  // namespace
}  // namespace preon
