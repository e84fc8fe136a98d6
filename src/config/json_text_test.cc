#include "config/json_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace preon {
namespace {

using ::testing::HasSubstr;

TEST(ParseJson, TakesComments) { EXPECT_EQ((*ParseJson("{\"a\": [1, 2] /* b */}"))["a"][1], 2); }

TEST(ParseJson, SaysWhatIsWrongAndWhere) {
  std::string deep(70, '[');
  const std::pair<std::string, const char*> rows[] = {
      {"", "line 1, column 1"},
      {"{\"a\": 1,\n \"b\"; 2}", "line 2, column 5"},
      {"{\"a\": 1, \"b\": {\"c\": 1, \"c\": 2}}", "key 'c' is given twice"},
      {"{\"a\": 1e999}", "a: got 1e999, wanted a number of at most 1.8e308"},
      {"{\"a\": {\"b\": 1}, \"c\": {\"d\": {}, \"e\": [1, -1e400]}}", "c.e: got -1e400, wanted a number"},
      {"{\"a\": 1" + std::string(400, '0') + "}", "a: got 10000000000000000000..., wanted a number"},
      {"1e999", "got 1e999, wanted a number"},
      {"{\"a\": NaN}", "line 1, column 7: syntax error while parsing value - invalid literal"},
      {deep + std::string(70, ']'), "more than 64 nested levels"},
  };
  EXPECT_EQ(ParseJson("\xc3\xa9").status().message().find('\xc3'), std::string::npos);  // no half of a character
  for (const auto& [text, says] : rows) {
    const Status status = ParseJson(text).status();
    EXPECT_EQ(status.id(), ErrorId::kBadConfig) << text;
    EXPECT_THAT(status.message(), HasSubstr(says)) << text;
  }
  EXPECT_TRUE(ParseJson("{\"a\": {\"c\": 1}, \"b\": {\"c\": 1}}").ok());  // in objects of their own
}

}  // namespace
}  // namespace preon
