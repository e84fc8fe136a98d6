#include "data/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace preon {
namespace {

template <typename From>
Tensor TensorFrom(DataType type, std::vector<From> values) {
  return Tensor::From<From>(type, {static_cast<int64_t>(values.size())}, values);
}

TEST(ConvertTest, AllowsWhatKeepsTheMeaning) {
  const std::pair<DataType, DataType> allowed[] = {
      {DataType::kUInt8, DataType::kFloat},   {DataType::kDouble, DataType::kFloat},
      {DataType::kFloat16, DataType::kFloat}, {DataType::kBFloat16, DataType::kFloat},
      {DataType::kInt32, DataType::kInt64},   {DataType::kInt64, DataType::kInt32},
      {DataType::kBool, DataType::kInt64},    {DataType::kBool, DataType::kFloat},
      {DataType::kInt64, DataType::kBool},    {DataType::kString, DataType::kString},
      {DataType::kFloat, DataType::kFloat16}, {DataType::kDouble, DataType::kFloat16},
      {DataType::kUInt8, DataType::kFloat16}, {DataType::kBool, DataType::kFloat16}};
  for (const auto& [from, to] : allowed)
    EXPECT_TRUE(IsConvertible(from, to)) << DataTypeName(from) << " " << DataTypeName(to);
  const std::pair<DataType, DataType> refused[] = {
      {DataType::kFloat, DataType::kInt64},   {DataType::kDouble, DataType::kUInt8},
      {DataType::kInt64, DataType::kFloat},   {DataType::kInt32, DataType::kFloat},
      {DataType::kFloat, DataType::kBool},    {DataType::kString, DataType::kFloat},
      {DataType::kInt16, DataType::kFloat16}, {DataType::kFloat16, DataType::kInt8}};
  for (const auto& [from, to] : refused)
    EXPECT_FALSE(IsConvertible(from, to)) << DataTypeName(from) << " " << DataTypeName(to);
}

TEST(ConvertTest, ConvertsValues) {
  const auto bytes = ConvertElements(TensorFrom<uint8_t>(DataType::kUInt8, {0, 7, 255}), DataType::kFloat);
  EXPECT_EQ(std::vector<float>(bytes->floats().begin(), bytes->floats().end()), (std::vector<float>{0, 7, 255}));
  const auto doubles = ConvertElements(TensorFrom<double>(DataType::kDouble, {0.1, -3}), DataType::kFloat);
  EXPECT_EQ(doubles->floats()[0], 0.1f);
  const auto ints = ConvertElements(TensorFrom<int32_t>(DataType::kInt32, {-1, 5}), DataType::kInt64);
  EXPECT_EQ(ints->As<int64_t>()[0], -1);
}

TEST(ConvertTest, ReadsHalfPrecision) {
  // 1, -2, largest, smallest normal, smallest denormal, -0.
  const auto half = ConvertElements(
      TensorFrom<uint16_t>(DataType::kFloat16, {0x3c00, 0xc000, 0x7bff, 0x0400, 0x8001, 0x8000}), DataType::kFloat);
  const std::vector<float> wanted = {1, -2, 65504, std::ldexp(1.0f, -14), -std::ldexp(1.0f, -24), -0.0f};
  for (size_t index = 0; index < wanted.size(); ++index) EXPECT_EQ(half->floats()[index], wanted[index]) << index;
  EXPECT_TRUE(std::signbit(half->floats()[5]));
  const auto brain = ConvertElements(TensorFrom<uint16_t>(DataType::kBFloat16, {0x3f80, 0xc000}), DataType::kFloat);
  EXPECT_EQ(brain->floats()[0], 1);
  EXPECT_EQ(brain->floats()[1], -2);
}

TEST(ConvertTest, RoundsToHalfPrecision) {
  const auto half =
      ConvertElements(TensorFrom<float>(DataType::kFloat, {1, -2, 65519, 1 + 0x1p-11f}), DataType::kFloat16);
  const std::span<const uint16_t> bits = half->As<uint16_t>();
  EXPECT_EQ(std::vector<uint16_t>(bits.begin(), bits.end()), (std::vector<uint16_t>{0x3c00, 0xc000, 0x7bff, 0x3c00}));
  const auto large = ConvertElements(TensorFrom<double>(DataType::kDouble, {0, 1e5}), DataType::kFloat16);
  ASSERT_EQ(large.status().id(), ErrorId::kDataType);
  EXPECT_NE(large.status().message().find("100000 at flat index 1"), std::string::npos) << large.status().message();
}

TEST(ConvertTest, NamesTheIntegerThatDoesNotFit) {
  const auto narrow = ConvertElements(TensorFrom<int64_t>(DataType::kInt64, {1, 1LL << 31}), DataType::kInt32);
  ASSERT_EQ(narrow.status().id(), ErrorId::kDataType);
  EXPECT_NE(narrow.status().message().find("2147483648 at flat index 1"), std::string::npos)
      << narrow.status().message();
  EXPECT_EQ(ConvertElements(TensorFrom<int64_t>(DataType::kInt64, {2}), DataType::kBool).status().id(),
            ErrorId::kDataType);
  EXPECT_EQ(ConvertElements(TensorFrom<int8_t>(DataType::kInt8, {-1}), DataType::kUInt64).status().id(),
            ErrorId::kDataType);
}

TEST(ConvertTest, FindsNotFiniteAnywhere) {
  // Around the block size of the search, and in every type.
  for (const int64_t count : {1, 5, 1023, 1024, 1025, 3000}) {
    for (const int64_t at : {int64_t{0}, count / 2, count - 1}) {
      std::vector<float> values(static_cast<size_t>(count), 3.0e38f);
      EXPECT_FALSE(FindNotFinite(TensorFrom(DataType::kFloat, values)));
      values[static_cast<size_t>(at)] =
          at % 2 ? std::numeric_limits<float>::quiet_NaN() : -std::numeric_limits<float>::infinity();
      EXPECT_EQ(FindNotFinite(TensorFrom(DataType::kFloat, values)), at);
    }
  }
  EXPECT_EQ(FindNotFinite(TensorFrom<double>(DataType::kDouble, {0, std::nan("")})), 1);
  EXPECT_EQ(FindNotFinite(TensorFrom<uint16_t>(DataType::kFloat16, {0x7bff, 0x7c00})), 1);
  EXPECT_EQ(FindNotFinite(TensorFrom<uint16_t>(DataType::kBFloat16, {0x7c00, 0x7f80})), 1);
  EXPECT_FALSE(FindNotFinite(TensorFrom<int64_t>(DataType::kInt64, {-1})));
}

TEST(ConvertTest, ErrorNamesKindAndIndex) {
  const Tensor tensor = Tensor::FromFloats({2, 3}, std::vector<float>{0, 0, 0, 0, 0, std::nanf("")});
  const Status status = CheckFinite(tensor, "x.npz: 'input': sample 3");
  EXPECT_EQ(status.id(), ErrorId::kDataNotFinite);
  EXPECT_EQ(status.message(), "x.npz: 'input': sample 3 holds NaN at index [1, 2]");
  EXPECT_TRUE(CheckFinite(Tensor::ScalarFloat(1), "x").ok());
  EXPECT_EQ(CheckFinite(Tensor::ScalarFloat(-HUGE_VALF), "x").message(), "x holds infinity at index []");
}

}  // namespace
}  // namespace preon
