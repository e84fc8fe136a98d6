#include "kernels/mini_float.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>

#include "kernels/kernel_testing.h"

namespace preon {
namespace {

struct Named {
  const char* name;
  MiniFloat format;
};
constexpr Named kFormats[] = {{"float16", kE5M10},   {"bfloat16", kE8M7},   {"float8e4m3", kE4M3},
                              {"float8e5m2", kE5M2}, {"float6e3m2", kE3M2}, {"float6e2m3", kE2M3},
                              {"float4e2m1", kE2M1}};

std::vector<uint16_t> AllCodes(const MiniFloat& format) {
  std::vector<uint16_t> codes(size_t{1} << format.bits());
  for (size_t code = 0; code < codes.size(); ++code) codes[code] = static_cast<uint16_t>(code);
  return codes;
}

std::vector<float> ValuesOf(const MiniFloat& format, const std::vector<uint16_t>& codes) {
  std::vector<float> values(codes.size());
  reference::DecodeMiniFloat(format, codes.data(), codes.size(), values.data());
  return values;
}

TEST(MiniFloat, LimitsOfTheStandards) {
  EXPECT_EQ(kE5M10.largest(), 65504);
  EXPECT_EQ(kE8M7.largest(), 0x1.FEp127f);
  EXPECT_EQ(kE4M3.largest(), 448);
  EXPECT_EQ(kE5M2.largest(), 57344);
  EXPECT_EQ(kE3M2.largest(), 28);
  EXPECT_EQ(kE2M3.largest(), 7.5f);
  EXPECT_EQ(kE2M1.largest(), 6);
}

TEST(MiniFloat, EveryValueOfTheSmallFormats) {
  EXPECT_EQ(ValuesOf(kE2M1, {0, 1, 2, 3, 4, 5, 6, 7}), (std::vector<float>{0, 0.5f, 1, 1.5f, 2, 3, 4, 6}));
  const std::vector<float> e2m3 = ValuesOf(kE2M3, AllCodes(kE2M3));
  for (int k = 0; k < 16; ++k) EXPECT_EQ(e2m3[k], k / 8.0f);
  for (int k = 0; k < 8; ++k) EXPECT_EQ(e2m3[16 + k], 2 + k * 0.25f);
  for (int k = 0; k < 8; ++k) EXPECT_EQ(e2m3[24 + k], 4 + k * 0.5f);
  const std::vector<float> e3m2 = ValuesOf(kE3M2, AllCodes(kE3M2));
  for (int k = 0; k < 4; ++k) EXPECT_EQ(e3m2[k], k * 0.0625f);
  for (int k = 4; k < 32; ++k) EXPECT_EQ(e3m2[k], std::ldexp(1 + k % 4 * 0.25f, k / 4 - 3));
}

// Aliases: every NaN of a sign has the code of the quiet one.
TEST(MiniFloat, EveryCodeSurvivesAndCodesAreInOrder) {
  for (const auto& [name, format] : kFormats) {
    int nans = 0;
    float previous = 0;
    for (const uint16_t code : AllCodes(format)) {
      const float value = reference::MiniFloatValue(format, code);
      const bool negative = code >> (format.bits() - 1);
      EXPECT_EQ(std::signbit(value), negative) << name << ' ' << code;
      if (std::isnan(value)) {
        ++nans;
        const uint32_t back = reference::MiniFloatCode(format, Overflow::kInfinity, value);
        EXPECT_TRUE(std::isnan(reference::MiniFloatValue(format, back))) << name << ' ' << code;
        continue;
      }
      ASSERT_EQ(reference::MiniFloatCode(format, Overflow::kInfinity, value), code) << name;
      if (std::abs(value) != 0) {
        ASSERT_GT(std::abs(value), previous) << name << ' ' << code;
      }
      previous = std::abs(value);
    }
    const bool ieee = format.specials == MiniFloat::Specials::kInfAndNan;
    const int wanted = ieee                                           ? 2 * ((1 << format.mantissa_bits) - 1)
                       : format.specials == MiniFloat::Specials::kNan ? 2
                                                                      : 0;
    EXPECT_EQ(nans, wanted) << name;
  }
}

/// Halfway between finite neighbours, and a float to either side of it.
TEST(MiniFloat, TiesGoToTheEvenCode) {
  for (const auto& [name, format] : kFormats) {
    for (uint32_t code = 0;; ++code) {
      const float low = reference::MiniFloatValue(format, code), high = reference::MiniFloatValue(format, code + 1);
      if (high > format.largest() || std::isnan(high)) break;
      const float tie = low + (high - low) / 2;
      for (const float sign : {1.0f, -1.0f}) {
        const uint32_t sign_bit = sign < 0 ? 1u << (format.bits() - 1) : 0;
        const auto code_of = [&, &format = format](float x) {
          return reference::MiniFloatCode(format, Overflow::kSaturate, sign * x) ^ sign_bit;
        };
        ASSERT_EQ(code_of(tie), code % 2 == 0 ? code : code + 1) << name << ' ' << tie;
        ASSERT_EQ(code_of(std::nextafter(tie, 0.0f)), code) << name << ' ' << tie;
        ASSERT_EQ(code_of(std::nextafter(tie, FLT_MAX)), code + 1) << name << ' ' << tie;
      }
      if (high == format.largest()) break;
    }
  }
}

/// All codes, all halfway points, their neighbours, and random floats of all exponents.
std::vector<float> HardValues(const MiniFloat& format) {
  std::vector<float> values;
  const uint32_t step = format.bits() > 8 ? 7 : 1;  // of 16 bits every seventh: the test above has them all
  const uint32_t codes = 1u << format.bits();
  for (uint32_t code = 0; code < codes; code += step) {
    const float value = reference::MiniFloatValue(format, code);
    const float next = reference::MiniFloatValue(format, std::min(code + 1, codes - 1));
    const float tie = value + (next - value) / 2;
    for (const float x : {value, tie}) {
      values.insert(values.end(), {x, std::nextafter(x, -INFINITY), std::nextafter(x, INFINITY)});
    }
  }
  std::mt19937 random(5);
  for (int i = 0; i < 20000; ++i) values.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
  for (const float x :
       {FLT_MAX, FLT_MIN, INFINITY, 65519.99f, 65520.0f, 464.0f, 464.1f, 61439.99f, 61440.0f, 0x1.FFp127f}) {
    values.insert(values.end(), {x, -x});
  }
  return values;
}

TEST(MiniFloat, EveryTargetGivesTheReferencesValuesAndCodes) {
  for (const auto& [name, format] : kFormats) {
    const std::vector<float> x = HardValues(format);
    const std::vector<uint16_t> all = AllCodes(format);
    for (const Overflow overflow : {Overflow::kSaturate, Overflow::kInfinity}) {
      std::vector<float> wanted(x.size());
      std::vector<uint16_t> wanted_codes(x.size());
      reference::RoundToMiniFloat(format, overflow, x.data(), x.size(), wanted.data());
      reference::EncodeMiniFloat(format, overflow, x.data(), x.size(), wanted_codes.data());
      ForEachKernelTarget([&, &name = name, &format = format](const std::string& target) {
        std::vector<float> got(x.size());
        RoundToMiniFloat(format, overflow, x.data(), x.size(), got.data());
        const size_t at = FirstDifference(got, wanted);
        EXPECT_EQ(at, x.size()) << target << ' ' << name << ' ' << x[at % x.size()] << " -> " << got[at % x.size()];
        std::vector<uint16_t> codes(x.size());
        EncodeMiniFloat(format, overflow, x.data(), x.size(), codes.data());
        for (size_t i = 0; i < x.size(); ++i) {
          ASSERT_EQ(codes[i], wanted_codes[i]) << target << ' ' << name << ' ' << x[i];
        }
        std::vector<float> values(all.size());
        DecodeMiniFloat(format, all.data(), all.size(), values.data());
        EXPECT_EQ(FirstDifference(values, ValuesOf(format, all)), all.size()) << target << ' ' << name;
      });
    }
  }
}

TEST(MiniFloat, EveryLengthAndMisalignment) {
  ForEachKernelTarget([](const std::string& target) {
    for (const size_t length : KernelTestLengths(65)) {
      for (size_t offset = 0; offset < 16; ++offset) {
        const auto seed = static_cast<uint32_t>(length * 16 + offset);
        const MisalignedFloats x(WithEdgeValues(RandomFloats(length, seed, 100), seed, 10), offset);
        std::vector<float> got(length + 1, 7.0f), wanted = got;
        RoundToMiniFloat(kE4M3, Overflow::kInfinity, x.data(), length, got.data());
        reference::RoundToMiniFloat(kE4M3, Overflow::kInfinity, x.data(), length, wanted.data());
        ASSERT_EQ(FirstDifference(got, wanted), length + 1) << target << " length " << length;
        std::vector<uint16_t> codes(length + 1, 7), wanted_codes = codes;
        EncodeMiniFloat(kE4M3, Overflow::kInfinity, x.data(), length, codes.data());
        reference::EncodeMiniFloat(kE4M3, Overflow::kInfinity, x.data(), length, wanted_codes.data());
        ASSERT_EQ(codes, wanted_codes) << target << " length " << length;
        DecodeMiniFloat(kE4M3, codes.data(), length, got.data());
        reference::DecodeMiniFloat(kE4M3, codes.data(), length, wanted.data());
        ASSERT_EQ(FirstDifference(got, wanted), length + 1) << target << " length " << length;
      }
    }
  });
}

}  // namespace
}  // namespace preon
