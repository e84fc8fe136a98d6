#include "search/space/search_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace preon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

Result<SearchSpace> Parsed(const std::string& text) { return SearchSpace::Parse(nlohmann::json::parse(text)); }

std::vector<std::string> AllConfigs(const std::string& text) {
  const Result<SearchSpace> space = Parsed(text);
  EXPECT_TRUE(space.ok()) << space.status().message();
  std::vector<std::string> configs;
  for (std::optional<Point> point = NextInGrid(*space, {}); point; point = NextInGrid(*space, point))
    configs.push_back(space->ConfigOf(*point));
  EXPECT_THAT(space->Count(1000), Optional(std::ssize(configs)));
  return configs;
}

TEST(SearchSpace, ListsAreChoicesAndValuesAreTheSameInAll) {
  EXPECT_THAT(
      AllConfigs(R"({"method": ["minmax", "minmse"], "symmetric": [true, null], "effort": "fast"})"),
      ElementsAre(R"({"effort":"fast","method":"minmax","symmetric":true})", R"({"effort":"fast","method":"minmax"})",
                  R"({"effort":"fast","method":"minmse","symmetric":true})", R"({"effort":"fast","method":"minmse"})"));
}

TEST(SearchSpace, ListsAreValuesOfOptionsThatTakeSeveral) {
  EXPECT_THAT(AllConfigs(R"({"exclude": [["a", "b"], "c"]})"),
              ElementsAre(R"({"exclude":["a","b"]})", R"({"exclude":"c"})"));
}

TEST(SearchSpace, AGroupIsThereWhereItsConditionHolds) {
  EXPECT_THAT(AllConfigs(R"({"a_percentile": {"only_if": {"method": ["percentile", "lwp"]},
                                              "method_options": {"Percentile": [99, 99.9]}},
                             "method": ["minmax", "percentile", "lwp"]})"),
              ElementsAre(R"({"method":"minmax"})", R"({"method":"percentile","method_options":{"Percentile":99}})",
                          R"({"method":"percentile","method_options":{"Percentile":99.9}})",
                          R"({"method":"lwp","method_options":{"Percentile":99}})",
                          R"({"method":"lwp","method_options":{"Percentile":99.9}})"));
}

TEST(SearchSpace, OneKeyMayHaveACondition) {
  EXPECT_THAT(AllConfigs(R"({"algorithm": [null, "cle"], "budget": {"choices": [0, 3], "only_if": "algorithm"}})"),
              ElementsAre("{}", R"({"algorithm":"cle","budget":0})", R"({"algorithm":"cle","budget":3})"));
}

TEST(SearchSpace, NumbersHaveASteps) {
  EXPECT_THAT(
      AllConfigs(R"({"block_size": {"type": "int", "low": 16, "high": 64, "step": 16}})"),
      ElementsAre(R"({"block_size":16})", R"({"block_size":32})", R"({"block_size":48})", R"({"block_size":64})"));
  EXPECT_THAT(AllConfigs(R"({"budget": {"type": "float", "low": 0.5, "high": 1.2, "step": 0.25}})"),
              ElementsAre(R"({"budget":0.5})", R"({"budget":0.75})", R"({"budget":1.0})"));
}

TEST(SearchSpace, NumbersWithoutAStepCantBeCounted) {
  const Result<SearchSpace> space = Parsed(R"({"budget": {"type": "float", "low": 1, "high": 2}})");
  ASSERT_TRUE(space.ok());
  EXPECT_EQ(space->Count(1000), std::nullopt);
}

TEST(SearchSpace, MistakesNameTheKey) {
  for (const auto& [text, wanted] : std::vector<std::pair<std::string, std::string>>{
           {"[1]", "wanted an object"},
           {"{}", "nothing to choose among"},
           {R"({"method": []})", "method: wanted at least one choice"},
           {R"({"method": {"one": 1}})", "method: wanted a value, a list"},
           {R"({"budget": {"type": "float", "low": 1}})", "budget: high: wanted a number"},
           {R"({"budget": {"type": "real", "low": 1, "high": 2}})", "wanted int or float"},
           {R"({"budget": {"type": "float", "low": 3, "high": 2}})", "low <= high"},
           {R"({"budget": {"type": "float", "low": 0, "high": 2, "log": true}})", "wanted low above 0"},
           {R"({"budget": {"type": "int", "low": 0.5, "high": 2}})", "wanted whole numbers"},
           {R"({"budget": {"type": "float", "low": 1, "hihg": 2}})", "key 'hihg' is unknown; did you mean 'high'"},
           {R"({"budget": {"choices": [1], "only_if": "methd"}, "method": ["a"]})", "wanted keys of the space"},
           {R"({"budget": {"choices": [1], "only_if": {"method": "b"}}, "method": ["a"]})", "method is never"},
           {R"({"a": {"choices": [1], "only_if": "b"}, "b": {"choices": [1], "only_if": "a"}})", "no cycle"}}) {
    const Result<SearchSpace> space = Parsed(text);
    ASSERT_FALSE(space.ok()) << text;
    EXPECT_EQ(space.status().id(), ErrorId::kBadConfig) << text;
    EXPECT_THAT(space.status().message(), HasSubstr(wanted));
  }
}

}  // namespace
}  // namespace preon
