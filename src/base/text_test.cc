#include "base/text.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

TEST(TextTest, CountsWithUnits) {
  const std::pair<const char*, int64_t> good[] = {{"0", 0},     {"500", 500},      {"10k", 10'000},
                                                  {"3K", 3000}, {"2M", 2'000'000}, {"1.5G", 1'500'000'000}};
  for (const auto& [text, count] : good) {
    const auto parsed = ParseCount(text);
    ASSERT_TRUE(parsed.ok()) << text;
    EXPECT_EQ(*parsed, count) << text;
  }
  for (const char* text : {"", "k", "-1", "1.5", "1kk", "1 k", "ten", "nan", "inf", "1e99", "0x10"}) {
    EXPECT_EQ(ParseCount(text).status().id(), ErrorId::kBadOptionValue) << text;
  }
}

TEST(TextTest, NumbersAreWhole) {
  EXPECT_EQ(ParseNumber<int>("-12"), -12);
  EXPECT_EQ(ParseNumber<double>("0.25"), 0.25);
  for (const char* text : {"", "1x", " 1", "1 ", "99999999999"}) EXPECT_FALSE(ParseNumber<int>(text)) << text;
}

TEST(TextTest, JoinPutsSeparatorsBetweenWords) {
  EXPECT_EQ(Join(std::vector<std::string>{"a", "b", "c"}, "; "), "a; b; c");
  EXPECT_EQ(Join({}, ", "), "");
}

TEST(TextTest, SplitKeepsEmptyParts) {
  EXPECT_EQ(Split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(Split("", ','), std::vector<std::string>{""});
}

TEST(TextTest, ControlCharactersBecomePrintable) {
  EXPECT_EQ(Printable("conv_1/\\ Größe \xe2\x82\xac"), "conv_1/\\ Größe \xe2\x82\xac");
  EXPECT_EQ(Printable("a\nb\r\tc"), "a\\nb\\r\\tc");
  EXPECT_EQ(Printable("\x1b[2J\x7f"), "\\x1b[2J\\x7f");
  EXPECT_EQ(Printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m\xc2\xa0"),
            "\\x9b31m\xc2\xa0");
  EXPECT_EQ(Printable("a\u202etxt\u2066\u2069\u2028\u202f"), "a\\u202etxt\\u2066\\u2069\\u2028\u202f");
}

TEST(TextTest, WordsOfAShellAreQuotedWhereTheyHaveTo) {
  EXPECT_EQ(ShellWord("a/b-1.onnx"), "a/b-1.onnx");
  EXPECT_EQ(ShellWord("a b"), "'a b'");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("it's $x"), "'it'\\''s $x'");
  EXPECT_EQ(ShellQuoted("a"), "'a'");
}

TEST(TextTest, BytesThatAreNoUtf8BecomePrintable) {
  EXPECT_EQ(Printable("\xff\x80"), "\\xff\\x80");
  EXPECT_EQ(Printable("a\xc2"), "a\\xc2");                                      // cut short
  EXPECT_EQ(Printable("\xc0\xaf \xe0\x80\xaf"), "\\xc0\\xaf \\xe0\\x80\\xaf");  // longer than it need be
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");                      // half of a pair
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");             // behind the last character
  EXPECT_EQ(Printable("\xe2\x82\xac \xf0\x9f\x98\x80"), "\xe2\x82\xac \xf0\x9f\x98\x80");
}

}  // namespace
}  // namespace preon
