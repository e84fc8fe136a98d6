#include "base/str_cat.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <sstream>

namespace preon {
namespace {

TEST(StrCat, TextsOfEveryKind) {
  const std::string text = "b";
  EXPECT_EQ(StrCat("a", text, std::string_view("c"), 'd'), "abcd");
  EXPECT_EQ(StrCat(), "");
}

// Messages are promised as they were with streams.
template <typename Number>
void SameAsStream(Number number) {
  std::ostringstream stream;
  stream << number;
  EXPECT_EQ(StrCat(number), stream.str());
}

TEST(StrCat, NumbersAsAStreamWritesThem) {
  SameAsStream(0);
  SameAsStream(true);
  SameAsStream(std::numeric_limits<int64_t>::min());
  SameAsStream(std::numeric_limits<uint64_t>::max());
  SameAsStream(uint16_t{65535});
  SameAsStream(1.0 / 3);
  SameAsStream(1e300);
  SameAsStream(-1234567.0);
  SameAsStream(0.5f);
  SameAsStream(std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace preon
