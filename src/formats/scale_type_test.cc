#include "formats/scale_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <cmath>

namespace preon {
namespace {

TEST(ParseScaleType, OursAndQuarksSpellings) {
  for (const char* name : {"power-of-two", "PowerOf2", "ScaleType.PowerOf2", "POWER-OF-TWO"}) {
    ASSERT_TRUE(ParseScaleType(name).ok()) << name;
    EXPECT_EQ(*ParseScaleType(name), ScaleType::kPowerOfTwo) << name;
  }
  EXPECT_EQ(*ParseScaleType("ScaleType.Float32"), ScaleType::kFloat32);
  for (const std::string& name : ScaleTypeNames()) EXPECT_EQ(ScaleTypeName(*ParseScaleType(name)), name);
  EXPECT_EQ(ParseScaleType("itn16").status().id(), ErrorId::kUnknownOption);
  EXPECT_THAT(ParseScaleType("itn16").status().message(), testing::HasSubstr("did you mean 'int16'"));
}

// Runs of Quark 0.13: float32 bits of the range, bits of the scale, zero point.
TEST(ComputeQuantParams, RoundedScalesOfQuark) {
  constexpr ScaleType kPowerOfTwo = ScaleType::kPowerOfTwo, kInt16 = ScaleType::kInt16;
  struct Row {
    uint32_t min, max;
    IntFormat format;
    ScaleType type;
    uint32_t scale;
    int32_t zero_point;
  };
  const Row rows[] = {
      {0xC29C7A65, 0xC1AC437B, {DataType::kInt8}, kPowerOfTwo, 0x3E800000, 127},
      {0xBF800000, 0x3F800000, {DataType::kInt8, true}, kPowerOfTwo, 0x3C000000, 0},
      {0xC14D999A, 0x414A6666, {DataType::kInt8, true}, kPowerOfTwo, 0x3E000000, 0},
      {0xB9FF6168, 0x39DE4F41, {DataType::kUInt8}, kPowerOfTwo, 0x36800000, 136},
      {0xC041CC95, 0x400F413C, {DataType::kUInt8, false, true}, kPowerOfTwo, 0x3D000000, 73},
      {0xBF400DD7, 0x40098AA6, {DataType::kInt16}, kPowerOfTwo, 0x38800000, -15810},
      {0xC3000000, 0x42FE0000, {DataType::kInt16}, kPowerOfTwo, 0x3B800000, 128},
      {0xC28856D2, 0xC1422C5C, {DataType::kInt16, true}, kPowerOfTwo, 0x3B000000, 0},
      {0xBF95686B, 0x4033EF5E, {DataType::kUInt16}, kPowerOfTwo, 0x38800000, 19226},
      {0xB9FF6168, 0x39DE4F41, {DataType::kUInt16}, kPowerOfTwo, 0x32800000, 35036},
      {0xC0422ED3, 0x4016DDDC, {DataType::kInt4}, kPowerOfTwo, 0x3F000000, 0},
      {0x3B0014CA, 0x3B21BF37, {DataType::kInt4}, kPowerOfTwo, 0x39000000, -8},
      {0xBC4A5115, 0x3C4F4712, {DataType::kInt4, true}, kPowerOfTwo, 0x3B000000, 0},
      {0xBF800000, 0x00000000, {DataType::kUInt4}, kPowerOfTwo, 0x3D800000, 15},
      {0xBEB33333, 0x3F666666, {DataType::kUInt4}, kPowerOfTwo, 0x3D800000, 4},
      {0xC07E0000, 0x407E0000, {DataType::kInt8}, kInt16, 0x3CFF0000, 0},
      {0xC0422ED3, 0x4016DDDC, {DataType::kInt8}, kInt16, 0x3CAD4000, 16},
      {0xBF800000, 0x3F800000, {DataType::kInt8, true}, kInt16, 0x3C010000, 0},
      {0x3E4CCCCD, 0x40C00000, {DataType::kInt8, true}, kInt16, 0x3D418000, 0},
      {0xBF800000, 0x3F800000, {DataType::kUInt8}, kInt16, 0x3C008000, 128},
      {0xBF800000, 0x40400000, {DataType::kInt16}, kInt16, 0x38800000, -16384},
      {0xBF95686B, 0x4033EF5E, {DataType::kInt16, false, true}, kInt16, 0x39000000, -6771},
      {0xC041CC95, 0x400F413C, {DataType::kInt16, true}, kInt16, 0x38C00000, 0},
      {0xC28856D2, 0xC1422C5C, {DataType::kUInt16}, kInt16, 0x3A880000, 65535},
      {0xCE6E6B28, 0x4E6E6B28, {DataType::kUInt16}, kInt16, 0x46EE6C00, 32768},
      {0x3E4CCCCD, 0x40C00000, {DataType::kInt4}, kInt16, 0x3ECCCC00, -8},
      {0xC1814197, 0xC0D8E1C6, {DataType::kInt4}, kInt16, 0x3F89E000, 7},
      {0x3DCCCCCD, 0x3DCCCCCD, {DataType::kInt4, true}, kInt16, 0x3C5A8000, 0},
      {0x424457E4, 0x425A5D2C, {DataType::kUInt4}, kInt16, 0x4068EC00, 0},
      {0x394D396F, 0x3B72A158, {DataType::kUInt4}, kInt16, 0x39800000, 0},
  };
  for (const Row& row : rows) {
    const Range range{std::bit_cast<float>(row.min), std::bit_cast<float>(row.max)};
    const Result<QuantParams> params = ComputeQuantParams(range, row.format, row.type);
    ASSERT_TRUE(params.ok()) << params.status().ToString();
    EXPECT_EQ(std::bit_cast<uint32_t>(params->scale), row.scale) << range.min << ' ' << range.max;
    EXPECT_EQ(params->zero_point, row.zero_point) << range.min << ' ' << range.max;
  }
}

TEST(RoundScale, PowerOfTwoIsTheNearestExponent) {
  // Just below and just above where the exponent switches, and the ends of the normal floats.
  for (const auto& [scale, rounded] : std::vector<std::pair<float, float>>{{0.1f, 0.125f},
                                                                           {1.0f, 1.0f},
                                                                           {0.7071067f, 0.5f},
                                                                           {0.70710683f, 1.0f},
                                                                           {1.4142135f, 1.0f},
                                                                           {1.4142137f, 2.0f},
                                                                           {3.0f, 4.0f},
                                                                           {FLT_MIN, FLT_MIN},
                                                                           {0x1.8p126f, 0x1p127f}}) {
    EXPECT_EQ(RoundScale(scale, ScaleType::kPowerOfTwo), rounded) << scale;
  }
  EXPECT_EQ(RoundScale(0.1f, ScaleType::kFloat32), 0.1f);
}

TEST(NearestInt16Scale, KnownAnswers) {
  EXPECT_EQ(NearestInt16Scale(0.1f), (Int16Scale{3277, 15}));
  EXPECT_EQ(NearestInt16Scale(0.0123f), (Int16Scale{403, 15}));
  EXPECT_EQ(NearestInt16Scale(300.5f), (Int16Scale{601, 1}));
  EXPECT_EQ(NearestInt16Scale(3.0f), (Int16Scale{3, 0})) << "of equal ones the smallest shift";
  EXPECT_EQ(NearestInt16Scale(32767.0f), (Int16Scale{32767, 0}));
  EXPECT_EQ(NearestInt16Scale(40000.0f), (Int16Scale{32767, 0}));
  EXPECT_EQ(NearestInt16Scale(FLT_MAX), (Int16Scale{32767, 0}));
  EXPECT_EQ(NearestInt16Scale(0x1p-15f), (Int16Scale{1, 15}));
  EXPECT_EQ(NearestInt16Scale(1e-6f), (Int16Scale{1, 15}));
  EXPECT_EQ(NearestInt16Scale(FLT_MIN), (Int16Scale{1, 15}));
}

TEST(NearestInt16Scale, NoOtherIsNearer) {
  for (float scale = 0x1p-15f; scale < 32767; scale *= 1.37f) {
    const Int16Scale chosen = NearestInt16Scale(scale);
    const double distance = std::abs(std::ldexp(chosen.multiplier, -chosen.shift) - static_cast<double>(scale));
    for (int shift = 0; shift <= 15; ++shift) {
      const double nearest = std::clamp(std::nearbyint(std::ldexp(static_cast<double>(scale), shift)), 1.0, 32767.0);
      EXPECT_LE(distance, std::abs(std::ldexp(nearest, -shift) - static_cast<double>(scale))) << scale;
    }
  }
}

TEST(RoundScaleUp, IsOfTheTypeAndCovers) {
  for (ScaleType type : {ScaleType::kFloat32, ScaleType::kPowerOfTwo, ScaleType::kInt16}) {
    for (float scale = 0x1.3p-16f; scale < 32767; scale *= 1.19f) {
      const float up = RoundScaleUp(scale, type);
      EXPECT_GE(up, scale);
      EXPECT_TRUE(IsScaleOf(up, type)) << up;
      // No farther than the next one: twice for powers of two, and for int16 from 2^-15 on.
      EXPECT_LT(up, std::max(2 * scale, 0x1p-14f));
      EXPECT_EQ(RoundScaleUp(up, type), up);
    }
  }
  EXPECT_EQ(RoundScaleUp(40000, ScaleType::kInt16), 32767) << "there is none above";
  EXPECT_EQ(RoundScaleUp(32766.7f, ScaleType::kInt16), 32767);
}

TEST(ReachesScale, OnlyInt16HasEnds) {
  for (float scale : {1e-6f, 40000.0f}) {
    EXPECT_FALSE(ReachesScale(scale, ScaleType::kInt16));
    EXPECT_TRUE(ReachesScale(scale, ScaleType::kPowerOfTwo));
    EXPECT_TRUE(ReachesScale(scale, ScaleType::kFloat32));
  }
  EXPECT_TRUE(ReachesScale(0x1p-15f, ScaleType::kInt16));
  EXPECT_TRUE(ReachesScale(32767, ScaleType::kInt16));
  EXPECT_FALSE(IsScaleOf(0.1f, ScaleType::kInt16));
  EXPECT_FALSE(IsScaleOf(0.75f, ScaleType::kPowerOfTwo));
}

TEST(ComputeQuantParams, DegenerateRangesKeepScaleOne) {
  for (ScaleType type : {ScaleType::kFloat32, ScaleType::kPowerOfTwo, ScaleType::kInt16}) {
    for (const Range& range : {Range{0, 0}, Range{0, 1e-42f}}) {
      EXPECT_EQ(*ComputeQuantParams(range, {DataType::kUInt8}, type), (QuantParams{1, 0}));
    }
    EXPECT_EQ(ComputeQuantParams({2, 1}, {DataType::kUInt8}, type).status().id(), ErrorId::kRangeInvalid);
  }
}

}  // namespace
}  // namespace preon
