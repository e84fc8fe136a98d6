#include "formats/int_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

namespace preon {
namespace {

constexpr IntFormat kU8{DataType::kUInt8};
constexpr IntFormat kU8Symmetric{DataType::kUInt8, true};
constexpr IntFormat kS8{DataType::kInt8};
constexpr IntFormat kS8Symmetric{DataType::kInt8, true};
constexpr IntFormat kS4Symmetric{DataType::kInt4, true};

std::vector<IntFormat> AllFormats(std::initializer_list<DataType> types) {
  std::vector<IntFormat> formats;
  for (DataType type : types) {
    for (bool symmetric : {false, true}) {
      for (bool reduce_range : {false, true}) formats.push_back({type, symmetric, reduce_range});
    }
  }
  return formats;
}

std::string Describe(const IntFormat& format) {
  return StrCat(DataTypeName(format.type), format.symmetric ? " symmetric" : "", format.reduce_range ? " reduced" : "");
}

QuantParams Params(Range range, const IntFormat& format) {
  const Result<QuantParams> params = ComputeQuantParams(range, format);
  EXPECT_TRUE(params.ok()) << params.status().ToString();
  return params.ok() ? *params : QuantParams{};
}

TEST(IntFormat, FewerBitsThanTheType) {
  const IntFormat three{DataType::kInt4, true, false, 3}, two{DataType::kUInt4, false, false, 2};
  EXPECT_EQ(three.q_min(), -4);
  EXPECT_EQ(three.q_max(), 3);
  EXPECT_EQ(two.q_min(), 0);
  EXPECT_EQ(two.q_max(), 3);
  EXPECT_EQ(Params({-7, 7}, three), (QuantParams{2, 0}));
  const Tensor values = Tensor::FromFloats({2, 3}, std::vector<float>{-9, 3, 9, 0.4F, -7, 5});
  const EncodedTensor encoded = *EncodeTensor(values, {{2, 0}, {1, 0}}, 0, three);
  EXPECT_THAT(DecodeTensor(encoded).floats(), testing::ElementsAre(-8, 4, 6, 0, -4, 3));
}

TEST(IntFormat, CodesOfTheSpecTable) {
  struct Row {
    DataType type;
    int64_t full_min, full_max, symmetric_min, symmetric_max, reduced_min, reduced_max;
  };
  for (const Row& row :
       {Row{DataType::kUInt8, 0, 255, 1, 255, 0, 127}, Row{DataType::kInt8, -128, 127, -127, 127, -64, 64},
        Row{DataType::kUInt16, 0, 65535, 1, 65535, 0, 32767},
        Row{DataType::kInt16, -32768, 32767, -32767, 32767, -16384, 16384}, Row{DataType::kUInt4, 0, 15, 0, 15, 0, 7},
        Row{DataType::kInt4, -8, 7, -8, 7, -4, 3},
        Row{DataType::kInt32, INT32_MIN, INT32_MAX, -INT32_MAX, INT32_MAX, -(1 << 30), 1 << 30},
        Row{DataType::kUInt32, 0, UINT32_MAX, 1, UINT32_MAX, 0, INT32_MAX}}) {
    EXPECT_EQ(IntFormat({row.type}).q_min(), row.full_min);
    EXPECT_EQ(IntFormat({row.type}).q_max(), row.full_max);
    EXPECT_EQ(IntFormat({row.type, true}).q_min(), row.symmetric_min);
    EXPECT_EQ(IntFormat({row.type, true}).q_max(), row.symmetric_max);
    for (bool symmetric : {false, true}) {
      EXPECT_EQ(IntFormat({row.type, symmetric, true}).q_min(), row.reduced_min);
      EXPECT_EQ(IntFormat({row.type, symmetric, true}).q_max(), row.reduced_max);
    }
  }
}

TEST(ComputeQuantParams, SpecConsequences) {
  EXPECT_EQ(Params({0, 0}, kU8), (QuantParams{1, 0}));
  EXPECT_EQ(EncodeValue(0, Params({0, 0}, kU8), kU8), 0);
  EXPECT_EQ(Params({0, 0}, kU8Symmetric), (QuantParams{1, 0}));
  EXPECT_EQ(EncodeValue(0, Params({0, 0}, kU8Symmetric), kU8Symmetric), 0)
      << "0.0 stays exact although code 0 is not symmetric";
  EXPECT_EQ(Params({-1, 1}, kU8Symmetric), (QuantParams{1.0f / 127, 128}));
  EXPECT_EQ(Params({3, 3}, kU8), (QuantParams{3.0f / 255, 0}));
  EXPECT_EQ(Params({-1, 3}, kU8), (QuantParams{4.0f / 255, 64}));
  EXPECT_EQ(Params({-2, 3}, kS8Symmetric), (QuantParams{6.0f / 254, 0}));
  EXPECT_EQ(Params({-1, 1}, kS4Symmetric), (QuantParams{2.0f / 15, 0}));
  EXPECT_EQ(EncodeValue(1, Params({-1, 1}, kS4Symmetric), kS4Symmetric), 7) << "7.5 rounds to 8, which saturates";
  EXPECT_EQ(Params(WeightRanges(Tensor::FromFloats({0}, {}), -1)->front(), kU8), (QuantParams{1, 0})) << "empty tensor";
}

// onnxruntime 1.30 quant_utils.compute_scale_zp: range, format -> float32 bits of the scale, zero point.
TEST(ComputeQuantParams, EqualsOnnxRuntimeToTheLastBit) {
  struct Row {
    Range range;
    IntFormat format;
    uint32_t scale_bits;
    int32_t zero_point;
  };
  const Row rows[] = {
      {{-0.35f, 0.9f}, kU8, 0x3BA0A0A1, 71},
      {{0.2f, 6.0f}, kU8, 0x3CC0C0C1, 0},                     // widened down to 0
      {{-6.0f, -0.5f}, kU8, 0x3CC0C0C1, 255},                 // widened up to 0
      {{-12.85f, 12.65f}, kU8, 0x3DCCCCCD, 129},              // -min / scale is a tie but for rounding
      {{-3.96875f, 4.0f}, kU8, 0x3D000000, 127},              // 127.0 exactly
      {{-0.70710671f, 0.70710671f}, kU8, 0x3BB5BAAD, 127},    // 127.5 - eps
      {{0.0f, 3.0000000181342878e-36f}, kU8, 0x00801B37, 0},  // scale just above FLT_MIN
      {{0.0f, 9.999999350456404e-39f}, kU8, 0x3F800000, 0},   // a denormal range is no range
      {{-16.157026290893555f, -6.777560234069824f}, kU8, 0x3D81C35A, 255},
      {{-1.0f, 3.0f}, {DataType::kInt4}, 0x3E888889, -4},
      {{-1.0f, 3.0f}, {DataType::kInt4, false, true}, 0x3F124925, -2},
  };
  for (const Row& row : rows) {
    const QuantParams params = Params(row.range, row.format);
    EXPECT_EQ(std::bit_cast<uint32_t>(params.scale), row.scale_bits) << row.range.min << ' ' << row.range.max;
    EXPECT_EQ(params.zero_point, row.zero_point) << row.range.min << ' ' << row.range.max;
  }
}

TEST(ComputeQuantParams, UnsignedSymmetricIsTheShiftOfSigned) {
  for (float absmax : {1e-6f, 0.3f, 1.0f, 17.0f, 6e4f, 1e38f}) {
    EXPECT_EQ(Params({-absmax, 0}, kU8Symmetric).scale, Params({-absmax, 0}, kS8Symmetric).scale);
    EXPECT_EQ(Params({-absmax, 0}, kU8Symmetric).zero_point, 128);
    EXPECT_EQ(Params({-absmax, 0}, {DataType::kUInt16, true}).zero_point, 32768);
  }
}

TEST(ComputeQuantParams, UInt32) {
  constexpr IntFormat kU32{DataType::kUInt32}, kU32Symmetric{DataType::kUInt32, true};
  EXPECT_EQ(Params({-1, 3}, kU32).zero_point, 1073741824) << "a quarter of 2^32";
  EXPECT_EQ(Params({-7, 0}, kU32).zero_point, 4294967295);
  EXPECT_EQ(Params({-1, 1}, kU32Symmetric).zero_point, 2147483648);
  EXPECT_EQ(EncodeValue(1e30f, {1, 5}, kU32), 4294967295);
  EXPECT_EQ(EncodeValue(-1e30f, {1, 4294967295}, kU32), 0);
  EXPECT_EQ(RepresentableRange({2, 4294967295}, kU32).min, -8589934590.0f);
}

TEST(ComputeQuantParams, HugeRangesStayFinite) {
  for (const IntFormat& format : {kU8, kU8Symmetric, kS8, kS8Symmetric}) {
    const QuantParams params = Params({-FLT_MAX, FLT_MAX}, format);
    EXPECT_TRUE(std::isfinite(RepresentableRange(params, format).min)) << Describe(format);
    EXPECT_TRUE(std::isfinite(RepresentableRange(params, format).max)) << Describe(format);
  }
}

TEST(ComputeQuantParams, WhatIsNoIntervalIsAnError) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();
  for (const Range& range : {Range{kNaN, 1}, Range{0, kNaN}, Range{-kInfinity, 1}, Range{0, kInfinity}, Range{2, 1}}) {
    EXPECT_EQ(ComputeQuantParams(range, kU8).status().id(), ErrorId::kRangeInvalid);
  }
}

// Conformance: whatever the format and the range, 0.0 is exact and the range is covered within half a step.
TEST(ComputeQuantParams, ZeroIsExactAndTheRangeCovered) {
  for (const IntFormat& format : AllFormats({DataType::kUInt8, DataType::kInt8, DataType::kUInt16, DataType::kInt16,
                                             DataType::kUInt4, DataType::kInt4})) {
    for (const Range& range :
         {Range{-1, 3}, Range{0.25f, 7}, Range{-9, -2}, Range{-1e-30f, 1e-30f}, Range{-3e38f, 1}, Range{5, 5}}) {
      const QuantParams params = Params(range, format);
      ASSERT_GT(params.scale, 0) << Describe(format);
      EXPECT_GE(params.zero_point, format.q_min()) << Describe(format);
      EXPECT_LE(params.zero_point, format.q_max()) << Describe(format);
      EXPECT_EQ(EncodeValue(0, params, format), params.zero_point) << Describe(format);
      const Range covered = RepresentableRange(params, format);
      const float slack = params.scale * 0.51f;  // half a step, and the float scale times 65535 steps
      EXPECT_LE(covered.min, std::max(range.min, -FLT_MAX / 2) + slack) << Describe(format);
      EXPECT_GE(covered.max, range.max - slack) << Describe(format);
    }
  }
}

// Exhaustive: every code of every format up to 16 bits decodes to a value that encodes to the code again, in order.
TEST(EncodeValue, DecodeThenEncodeIsIdentity) {
  for (const IntFormat& format : AllFormats({DataType::kUInt8, DataType::kInt8, DataType::kUInt16, DataType::kInt16,
                                             DataType::kUInt4, DataType::kInt4})) {
    const QuantParams params = Params({-1.7f, 2.9f}, format);
    float previous = -std::numeric_limits<float>::infinity();
    for (int64_t code = format.q_min(); code <= format.q_max(); ++code) {
      const float value = params.scale * static_cast<float>(code - params.zero_point);
      ASSERT_EQ(EncodeValue(value, params, format), code) << Describe(format);
      ASSERT_GT(value, previous) << Describe(format);
      previous = value;
    }
  }
}

TEST(EncodeValue, TiesToEvenSaturationAndNonFinite) {
  const QuantParams params{0.5f, 3};
  for (int step = -100; step <= 100; ++step) {
    const float tie = (step + 0.5f) * params.scale;
    EXPECT_EQ(EncodeValue(tie, params, kS8), (step % 2 == 0 ? step : step + 1) + 3) << tie;
  }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(EncodeValue(1e30f, params, kS8), 127);
  EXPECT_EQ(EncodeValue(-kInfinity, params, kS8), -128);
  EXPECT_EQ(EncodeValue(-kInfinity, params, kS8Symmetric), -127);
  EXPECT_EQ(EncodeValue(kInfinity, params, kU8), 255);
  EXPECT_EQ(EncodeValue(std::numeric_limits<float>::quiet_NaN(), params, kS8), -128);
  EXPECT_EQ(EncodeValue(FLT_MAX, {FLT_MIN, 0}, {DataType::kInt32}), INT32_MAX);
}

}  // namespace
}  // namespace preon
