#include "formats/linear_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace preon {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::vector<std::byte> Codes(const LinearSpec& spec, const std::vector<float>& x, float scale, double zero_point) {
  std::vector<std::byte> codes(PackedSizeBytes(spec.type, static_cast<int64_t>(x.size())), std::byte{0xAA});
  const Status status = QuantizeTensor(spec, ParamLayout::PerTensor(static_cast<int64_t>(x.size())),
                                       {{&scale, 1}, {&zero_point, 1}}, x.data(), codes.data());
  EXPECT_TRUE(status.ok()) << status.ToString();
  return codes;
}

template <typename T>
std::vector<int64_t> Whole(const std::vector<std::byte>& bytes) {
  std::vector<T> codes(bytes.size() / sizeof(T));
  std::memcpy(codes.data(), bytes.data(), bytes.size());
  return {codes.begin(), codes.end()};
}

/// x, and the codes at scale 0.1.
TEST(QuantizeTensor, TheSpecsTable) {
  struct Row {
    float x;
    int64_t int4, uint4, int8, int8_z3, uint8, int16, uint16, int32, uint32;
  };
  const Row rows[] = {{0, 0, 8, 0, 3, 128, 0, 32768, 0, 10},
                      {-0.0f, 0, 8, 0, 3, 128, 0, 32768, 0, 10},
                      {0.05f, 0, 8, 0, 3, 128, 0, 32768, 0, 10},
                      {0.15f, 2, 10, 2, 5, 130, 2, 32770, 2, 12},
                      {0.25f, 2, 10, 2, 5, 130, 2, 32770, 2, 12},
                      {-0.05f, 0, 8, 0, 3, 128, 0, 32768, 0, 10},
                      {-0.15f, -2, 6, -2, 1, 126, -2, 32766, -2, 8},
                      {0.149999f, 1, 9, 1, 4, 129, 1, 32769, 1, 11},
                      {1, 7, 15, 10, 13, 138, 10, 32778, 10, 20},
                      {-1, -8, 0, -10, -7, 118, -10, 32758, -10, 0},
                      {12.75f, 7, 15, 127, 127, 255, 128, 32896, 128, 138},
                      {-12.85f, -8, 0, -128, -125, 0, -128, 32640, -128, 0},
                      {-4000, -8, 0, -128, -128, 0, -32768, 0, -40000, 0},
                      {1e7f, 7, 15, 127, 127, 255, 32767, 65535, 100000000, 100000010},
                      {3e8f, 7, 15, 127, 127, 255, 32767, 65535, 2147483647, 3000000010},
                      {kInfinity, 7, 15, 127, 127, 255, 32767, 65535, 2147483647, 4294967295},
                      {-kInfinity, -8, 0, -128, -128, 0, -32768, 0, -2147483648, 0},
                      {kNaN, -8, 0, -128, -128, 0, -32768, 0, -2147483648, 0}};
  std::vector<float> x;
  for (const Row& row : rows) x.push_back(row.x);
  const auto column = [&](int64_t Row::*of) {
    std::vector<int64_t> codes;
    for (const Row& row : rows) codes.push_back(row.*of);
    return codes;
  };
  EXPECT_EQ(Whole<int8_t>(Codes({DataType::kInt8}, x, 0.1f, 0)), column(&Row::int8));
  EXPECT_EQ(Whole<int8_t>(Codes({DataType::kInt8}, x, 0.1f, 3)), column(&Row::int8_z3));
  EXPECT_EQ(Whole<uint8_t>(Codes({DataType::kUInt8}, x, 0.1f, 128)), column(&Row::uint8));
  EXPECT_EQ(Whole<int16_t>(Codes({DataType::kInt16}, x, 0.1f, 0)), column(&Row::int16));
  EXPECT_EQ(Whole<uint16_t>(Codes({DataType::kUInt16}, x, 0.1f, 32768)), column(&Row::uint16));
  EXPECT_EQ(Whole<int32_t>(Codes({DataType::kInt32}, x, 0.1f, 0)), column(&Row::int32));
  EXPECT_EQ(Whole<uint32_t>(Codes({DataType::kUInt32}, x, 0.1f, 10)), column(&Row::uint32));
  for (const auto& [type, zero_point, of] :
       {std::tuple{DataType::kInt4, 0.0, &Row::int4}, std::tuple{DataType::kUInt4, 8.0, &Row::uint4}}) {
    const std::vector<std::byte> packed = Codes({type}, x, 0.1f, zero_point);
    for (size_t i = 0; i < x.size(); ++i) {
      const int nibble = std::to_integer<int>(packed[i / 2]) >> (i % 2 * 4) & 15;
      EXPECT_EQ(nibble, column(of)[i] & 15) << x[i];
    }
  }
}

TEST(QuantizeTensor, AnOddNibbleHasZeroAbove) {
  EXPECT_EQ(Codes({DataType::kInt4}, {-1, 2, -3}, 1, 0), (std::vector<std::byte>{std::byte{0x2F}, std::byte{0x0D}}));
}

struct TypeCase {
  DataType type;
  double zero_point;
};
constexpr TypeCase kTypes[] = {{DataType::kInt4, -3},       {DataType::kUInt4, 5},        {DataType::kInt8, 4},
                               {DataType::kUInt8, 99},      {DataType::kInt16, -1000},    {DataType::kUInt16, 40000},
                               {DataType::kInt32, 77},      {DataType::kUInt32, 3e9},     {DataType::kFloat16, 1.5},
                               {DataType::kBFloat16, -0.5}, {DataType::kFloat8E4M3FN, 0}, {DataType::kFloat8E5M2, 0}};

// Every code of up to 16 bits: the value it stands for has the code again.
TEST(LinearCodec, EveryCodeSurvives) {
  for (const auto& [type, zero_point] : kTypes) {
    const int bits = DataTypeBits(type);
    if (bits > 16) continue;
    const int64_t count = int64_t{1} << bits;
    std::vector<std::byte> codes(PackedSizeBytes(type, count));
    for (int64_t code = 0; code < count; ++code) {
      if (bits == 4) codes[code / 2] |= static_cast<std::byte>(code << (code % 2 * 4));
      if (bits == 8) codes[code] = static_cast<std::byte>(code);
      if (bits == 16) std::memcpy(&codes[2 * code], &code, 2);
    }
    const float scale = 0.25f;
    const double no_zero_point = MiniFloatOf(type) ? 0 : zero_point;  // which would round the floats
    const LinearParams params{{&scale, 1}, {&no_zero_point, 1}};
    const ParamLayout layout = ParamLayout::PerTensor(count);
    std::vector<float> values(static_cast<size_t>(count));
    ASSERT_TRUE(DequantizeTensor({type}, layout, params, codes.data(), values.data()).ok());
    std::vector<std::byte> again(codes.size());
    ASSERT_TRUE(QuantizeTensor({type}, layout, params, values.data(), again.data()).ok());
    for (int64_t code = 0; code < count; ++code) {
      if (!std::isfinite(values[code])) {  // NaN has many codes; infinities saturate, but in bfloat16
        const size_t at = static_cast<size_t>(code) * static_cast<size_t>(bits) / 8;
        std::copy_n(&codes[at], bits / 8, &again[at]);
      }
    }
    EXPECT_EQ(again, codes) << DataTypeName(type);
  }
}

/// Granularities of a tensor, with parameters that differ.
TEST(LinearCodec, EveryTypeAndLayoutFollowsTheDefinition) {
  const Shape shape = {3, 10, 4};
  std::vector<float> x(120);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i)) * 3;
  for (const auto& [type, zero_point] : kTypes) {
    for (const ParamLayout& layout :
         {ParamLayout::PerTensor(120), *ParamLayout::PerAxis(shape, 0), *ParamLayout::PerAxis(shape, 1),
          *ParamLayout::PerAxis(shape, -1), *ParamLayout::PerBlock(shape, 1, 4), *ParamLayout::PerBlock(shape, 2, 3)}) {
      std::vector<float> scales(static_cast<size_t>(layout.params()));
      for (size_t i = 0; i < scales.size(); ++i) scales[i] = 0.02f * static_cast<float>(i % 7 + 1);
      const std::vector<double> zero_points(scales.size(), zero_point);
      const LinearParams params{scales, zero_points};
      std::vector<float> got(x.size());
      ASSERT_TRUE(QuantizeDequantizeTensor({type}, layout, params, x.data(), got.data()).ok());
      std::vector<float> scale_of(x.size()), wanted(x.size());
      layout.ForEachRun(x.data(), scale_of.data(), [&](const float*, int64_t count, int64_t param, float* out) {
        std::fill_n(out, count, scales[param]);
      });
      for (size_t i = 0; i < x.size(); ++i) {
        const auto codes = Codes({type}, {x[i]}, scale_of[i], zero_point);
        ASSERT_TRUE(DequantizeTensor({type}, ParamLayout::PerTensor(1), {{&scale_of[i], 1}, {&zero_point, 1}},
                                     codes.data(), &wanted[i])
                        .ok());
      }
      EXPECT_EQ(got, wanted) << DataTypeName(type);
      std::vector<float> in_place = x;
      ASSERT_TRUE(QuantizeDequantizeTensor({type}, layout, params, in_place.data(), in_place.data()).ok());
      EXPECT_EQ(in_place, wanted) << DataTypeName(type);
    }
  }
}

// bfloat16 with a scale.
TEST(LinearCodec, FloatsAreScaledBeforeTheyAreRounded) {
  const std::vector<float> x = {1.0f, 5.99f, -0.01f};
  std::vector<float> out(3);
  const float scale = 3;
  ASSERT_TRUE(QuantizeDequantizeTensor({DataType::kBFloat16}, ParamLayout::PerTensor(3), {{&scale, 1}, {}}, x.data(),
                                       out.data())
                  .ok());
  EXPECT_EQ(out, (std::vector<float>{1.001953125f, 6.0f, -0.009979248046875f}));
}

TEST(LinearCodec, CompatFloat16IgnoresItsParameters) {
  const std::vector<float> x = {1.0009765f, 1e6f, kNaN};
  const float scale = 3;
  const double zero_point = 2;
  std::vector<float> out(3);
  ASSERT_TRUE(QuantizeDequantizeTensor({DataType::kFloat16, Numerics::kCompat}, ParamLayout::PerTensor(3),
                                       {{&scale, 1}, {&zero_point, 1}}, x.data(), out.data())
                  .ok());
  EXPECT_EQ(out[0], 1.0009765625f);
  EXPECT_EQ(out[1], 65504);
  EXPECT_TRUE(std::isnan(out[2]));
}

TEST(LinearCodec, OnlyBFloat16HasInfinities) {
  const float scale = 1, x[] = {kInfinity, -3.4e38f};
  for (const auto& [type, wanted] :
       {std::pair{DataType::kFloat16, 65504.0f}, std::pair{DataType::kBFloat16, kInfinity},
        std::pair{DataType::kFloat8E4M3FN, 448.0f}, std::pair{DataType::kFloat8E5M2, 57344.0f}}) {
    float out[2];
    ASSERT_TRUE(QuantizeDequantizeTensor({type}, ParamLayout::PerTensor(2), {{&scale, 1}, {}}, x, out).ok());
    EXPECT_EQ(out[0], wanted);
    EXPECT_EQ(out[1], -wanted);
  }
}

TEST(LinearCodec, WhatCannotBe) {
  const float scales[] = {1, 2}, x[4] = {};
  const double half = 0.5, high = 256, one = 1;
  std::byte codes[16];
  const auto status = [&](DataType type, std::span<const float> s, std::span<const double> z) {
    return QuantizeTensor({type}, ParamLayout::PerTensor(4), {s, z}, x, codes);
  };
  const std::span<const float> one_scale(scales, 1);
  EXPECT_EQ(status(DataType::kFloat, one_scale, {}).id(), ErrorId::kFormatAttribute);
  EXPECT_EQ(status(DataType::kInt64, one_scale, {}).id(), ErrorId::kFormatAttribute);
  EXPECT_EQ(status(DataType::kFloat4E2M1, one_scale, {}).id(), ErrorId::kFormatAttribute);
  EXPECT_EQ(status(DataType::kInt8, scales, {}).message(), "scales: got 2, wanted 1");
  const double two[] = {0, 0};
  EXPECT_EQ(status(DataType::kInt8, one_scale, two).message(), "zero points: got 2, wanted 1");
  EXPECT_EQ(status(DataType::kUInt8, one_scale, {&high, 1}).message(),
            "zero point: got 256, wanted an integer from 0 to 255 (uint8)");
  EXPECT_EQ(status(DataType::kUInt8, one_scale, {&half, 1}).id(), ErrorId::kFormatAttribute);
  EXPECT_EQ(status(DataType::kFloat8E4M3FN, one_scale, {&one, 1}).id(), ErrorId::kFormatAttribute);
  EXPECT_TRUE(status(DataType::kFloat16, one_scale, {&half, 1}).ok());
}

}  // namespace
}  // namespace preon
