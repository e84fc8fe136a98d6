#include "ranges/method_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace preon {
namespace {

using testing::HasSubstr;

struct Values {
  bool flag = false;
  double number = 5;
  std::vector<double> list = {1};
  std::string text = "mae";
};

Result<Values> ReadAll(const MethodOptions& options) {
  Values values;
  OptionReader reader("foo", options);
  reader.Read("Flag", &values.flag);
  reader.Read("Number", 0, 100, &values.number);
  reader.Read("List", 0, 100, &values.list);
  reader.Read("Text", &values.text);
  PREON_RETURN_IF_ERROR(reader.Finish());
  return values;
}

TEST(OptionReader, DefaultsStay) {
  const Result<Values> values = ReadAll({});
  ASSERT_TRUE(values.ok());
  EXPECT_EQ(values->number, 5);
  EXPECT_EQ(values->list, std::vector<double>{1});
}

TEST(OptionReader, ReadsWhatScriptsAndPeopleWrite) {
  for (const char* yes : {"true", "True", "1", "on", " yes "}) EXPECT_TRUE(ReadAll({{"flag", yes}})->flag) << yes;
  EXPECT_FALSE(ReadAll({{"FLAG", "False"}})->flag);
  EXPECT_EQ(ReadAll({{"Number", "99.9999"}})->number, 99.9999);
  for (const char* list : {"99.9,100", "[99.9, 100]", " [ 99.9 , 100 ] "}) {
    EXPECT_EQ(ReadAll({{"List", list}})->list, (std::vector<double>{99.9, 100})) << list;
  }
  EXPECT_EQ(ReadAll({{"text", "MSE"}})->text, "mse");
}

TEST(OptionReader, BadValuesSayWhatWasWanted) {
  EXPECT_EQ(ReadAll({{"Flag", "maybe"}}).status().id(), ErrorId::kBadOptionValue);
  EXPECT_EQ(ReadAll({{"List", ""}}).status().id(), ErrorId::kBadOptionValue);
  EXPECT_EQ(ReadAll({{"Text2", "x"}}).status().id(), ErrorId::kUnknownOption);
  for (const char* bad : {"", "x", "101", "-1", "nan", "1e999", "5 5", "5%"}) {
    EXPECT_EQ(ReadAll({{"Number", bad}}).status().id(), ErrorId::kBadOptionValue) << bad;
  }
  for (const char* bad : {"[]", "1,", ",", "1,,2", "1 2", "[1", "101"}) {
    EXPECT_EQ(ReadAll({{"List", bad}}).status().id(), ErrorId::kBadOptionValue) << bad;
  }
  EXPECT_EQ(ReadAll({{"Number", "101"}}).status().message(),
            "foo: option Number: got '101', wanted a number from 0 to 100");
}

TEST(OptionReader, WholeNumbers) {
  const auto read = [](const char* text) -> Result<size_t> {
    size_t value = 7;
    OptionReader reader("foo", {{"Bins", text}});
    reader.Read("Bins", size_t{2}, size_t{100}, &value);
    PREON_RETURN_IF_ERROR(reader.Finish());
    return value;
  };
  EXPECT_EQ(*read("64"), 64u);
  for (const char* bad : {"1", "101", "2.5", "-3", "x"}) {
    EXPECT_EQ(read(bad).status().message(),
              StrCat("foo: option Bins: got '", bad, "', wanted a whole number from 2 to 100"));
  }
}

TEST(OptionReader, RefusedOptionsSayWhy) {
  const auto read = [](const char* text) {
    OptionReader reader("foo", {{"lwpusehistogram", text}});
    reader.Refuse("LWPUseHistogram", "true", "there is nothing else");
    return reader.Finish();
  };
  EXPECT_TRUE(read("True").ok()) << "what happens anyway";
  EXPECT_EQ(read("false").id(), ErrorId::kConflictingOptions);
  EXPECT_EQ(read("false").message(), "foo: option LWPUseHistogram: there is nothing else");
}

TEST(OptionReader, UnknownNames) {
  const Status status = ReadAll({{"Numbr", "1"}}).status();
  EXPECT_EQ(status.id(), ErrorId::kUnknownOption);
  EXPECT_THAT(status.message(), HasSubstr("did you mean 'Number'"));
}

}  // namespace
}  // namespace preon
