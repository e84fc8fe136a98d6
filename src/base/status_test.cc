#include "base/status.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <set>

namespace preon {
namespace {

TEST(Status, OkHasNoError) {
  const Status status = Status::Ok();
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kOk);
  EXPECT_EQ(status.ToString(), "ok");
}

TEST(Status, AnErrorPrintsNumberMessageAndHint) {
  const Status status = Error(ErrorId::kDataShape, "'x': shape ", 3, ", wanted ", 4).WithHint("see the guide");
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.id(), ErrorId::kDataShape);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.ToString(), "[E3004] 'x': shape 3, wanted 4\nhint: see the guide");
}

TEST(Status, ContextGoesInFrontAndOnlyOfErrors) {
  EXPECT_EQ(Error(ErrorId::kIoRead, "broken").WithContext("file ", 7).message(), "file 7: broken");
  EXPECT_TRUE(Status::Ok().WithContext("file").ok());
  EXPECT_EQ(Status::Ok().WithHint("none").hint(), "");
}

TEST(ErrorTable, NumbersRiseAndTextsKeepToTheStyle) {
  int previous = 0;
  std::set<std::string_view> titles;
  for (const ErrorInfo& info : ErrorTable()) {
    SCOPED_TRACE(info.number);
    EXPECT_GT(info.number, previous);
    previous = info.number;
    EXPECT_EQ(static_cast<int>(info.id), info.number);
    EXPECT_EQ(&GetErrorInfo(info.id), &info);
    EXPECT_NE(info.code, StatusCode::kOk);
    EXPECT_TRUE(titles.insert(info.title).second) << info.title;
    for (std::string_view text : {info.title, info.example}) {
      ASSERT_FALSE(text.empty());
      EXPECT_NE(text.back(), '.') << text;
    }
  }
  EXPECT_GT(previous, 9000);
}

Result<int> Half(int number) {
  if (number % 2 != 0) return Error(ErrorId::kBadOptionValue, number, " is odd");
  return number / 2;
}

Result<int> Quarter(int number) {
  PREON_ASSIGN_OR_RETURN(const int half, Half(number));
  PREON_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

TEST(Result, CarriesAValueOrAStatus) {
  EXPECT_EQ(*Quarter(12), 3);
  EXPECT_TRUE(Quarter(12).status().ok());
  EXPECT_EQ(Quarter(6).status().message(), "3 is odd");
  EXPECT_EQ(Quarter(6).status().id(), ErrorId::kBadOptionValue);
  EXPECT_THROW(Quarter(6).value(), InternalError);
  EXPECT_THROW(Result<int>(Status::Ok()), InternalError);
}

TEST(Status, ExitStatusIsWhatThePageOfErrorsSays) {
  std::ifstream file("docs/errors.md");
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const ErrorInfo& error : ErrorTable()) {
    const std::string row = StrCat("| E", error.number, " | ", error.title, " | ", error.exit_status, " | ");
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

TEST(Result, HoldsWhatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  EXPECT_EQ(**result, 5);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 5);
}

TEST(Check, ThrowsWithPlaceAndCondition) {
  try {
    PREON_CHECK(1 > 2);
    FAIL() << "not thrown";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("status_test.cc"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("1 > 2"), std::string::npos);
  }
}

}  // namespace
}  // namespace preon
