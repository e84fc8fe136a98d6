#include "base/file_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace preon {
namespace {

std::string_view Of(std::string_view text) { return WhatItIsInstead(std::as_bytes(std::span(text))); }

TEST(FileKind, NamesWhatIsOftenInTheWrongPlace) {
  EXPECT_THAT(Of("version https://git-lfs.github.com/spec/v1\noid"), ::testing::HasSubstr("git lfs pull"));
  EXPECT_THAT(Of("\n  <!DOCTYPE HTML><html>"), ::testing::HasSubstr("HTML page"));
  EXPECT_THAT(Of("PK\x03\x04..."), ::testing::HasSubstr("zip archive"));
  EXPECT_THAT(Of("\x1f\x8b\x08"), ::testing::HasSubstr("gzip"));
  EXPECT_THAT(Of(std::string_view("\x1c\0\0\0TFL3", 8)), ::testing::HasSubstr("TensorFlow Lite"));
}

TEST(FileKind, OthersHaveNoName) {
  EXPECT_EQ(Of(""), "");
  EXPECT_EQ(Of("\x08\x0a\x12\x07pytorch"), "");
}

}  // namespace
}  // namespace preon
