#include "base/spelling.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace preon {
namespace {

const std::vector<std::string> kNames = {"percentile", "minmax", "entropy", "u8"};

TEST(Spelling, FindsTheNearestName) {
  EXPECT_EQ(NearestName("minmx", kNames), "minmax");
  EXPECT_EQ(NearestName("MinMaks", kNames), "minmax");
  EXPECT_EQ(NearestName("precentle", kNames), "percentile");
  EXPECT_EQ(NearestName("s8", kNames), "u8");
}

TEST(Spelling, NothingNearGivesNothing) {
  EXPECT_EQ(NearestName("histogram", kNames), "");
  EXPECT_EQ(NearestName("x", kNames), "");  // no letter in common with u8
  EXPECT_EQ(NearestName("", kNames), "");
  EXPECT_EQ(NearestName("minmax", {}), "");
}

// 'ä' and 'Ä' in Latin-1, which std::toupper and std::tolower change in some locales.
TEST(Spelling, CaseIsThatOfAscii) {
  EXPECT_EQ(ToUpper("a8w8_Z{`\xe4"), "A8W8_Z{`\xe4");
  EXPECT_EQ(ToLower("A8W8_z[@\xc4"), "a8w8_z[@\xc4");
}

TEST(Spelling, OfALongListTheFirstNamesAndHowManyAreLeft) {
  EXPECT_EQ(FirstNames(kNames, 2), "percentile, minmax and 2 more");
  EXPECT_EQ(FirstNames(kNames, 4), "percentile, minmax, entropy, u8");
  EXPECT_EQ(FirstNames(std::set<std::string>{"b", "a"}, 1), "a and 1 more");
}

TEST(Spelling, TheQuestionIsEmptyWithoutAName) {
  EXPECT_EQ(DidYouMean("entropi", kNames), "; did you mean 'entropy'?");
  EXPECT_EQ(DidYouMean("histogram", kNames), "");
}

}  // namespace
}  // namespace preon
