// What every number format that preon knows must obey, in every rounding mode, strict and compat.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>

#include "formats/block_codec.h"
#include "formats/combination.h"
#include "formats/number_formats.h"
#include "formats/tensor_type.h"
#include "formats/test_packed_blocks.h"
#include "kernels/kernel_testing.h"
#include "kernels/quantize_blocks.h"

namespace preon {
namespace {

/// Calls check(name, spec) for the forms of every block format.
template <typename Check>
void ForEachBlockSpec(const Check& check) {
  for (const auto& format : NumberFormats().entries()) {
    if (!format->block()) continue;
    for (const Numerics numerics : {Numerics::kStrict, Numerics::kCompat}) {
      for (const Rounding rounding : {Rounding::kHalfAway, Rounding::kHalfUp, Rounding::kHalfEven}) {
        BlockSpec spec = *format->block();
        spec.numerics = numerics;
        spec.rounding = rounding;
        SCOPED_TRACE(StrCat(format->name(), numerics == Numerics::kCompat ? " compat" : " strict", " rounding ",
                            static_cast<int>(rounding)));
        check(spec);
      }
    }
  }
}

std::vector<float> Rounded(const BlockSpec& spec, const std::vector<float>& x) {
  std::vector<float> out(x.size());
  const int64_t shape[] = {static_cast<int64_t>(x.size())};
  EXPECT_TRUE(QuantizeDequantize(spec, shape, 0, x.data(), out.data()).ok());
  return out;
}

bool HasTwoZeros(const BlockSpec& spec) { return spec.element || spec.family != BlockSpec::Family::kMx; }

TEST(EveryNumberFormat, TheTypesOfTheList) {
  std::vector<std::string> names;
  for (const auto& format : NumberFormats().entries()) {
    names.emplace_back(format->name());
    EXPECT_FALSE(format->summary().empty());
    EXPECT_GE(format->bits_per_element(), 4);
    EXPECT_EQ(*NumberFormats().Find(ToLower(format->name())), format.get());
    for (const std::string_view alias : format->aliases()) EXPECT_EQ(*NumberFormats().Find(alias), format.get());
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "int4",    "uint4",     "int8",         "uint8",      "int16",     "uint16",   "int32", "uint32",
                       "float16", "bfloat16",  "float8e4m3fn", "float8e5m2", "bfp16",     "mx4",      "mx6",   "mx9",
                       "mxint8",  "mxfp4e2m1", "mxfp6e3m2",    "mxfp6e2m3",  "mxfp8e5m2", "mxfp8e4m3"}));
  EXPECT_EQ(NumberFormats().Find("mxfp5").status().id(), ErrorId::kUnknownOption);
}

// Exhaustive: with the scale pinned by the largest code, every code of an element stands for a value that has this
// code. Aliases: infinities and NaN among elements (read, never written); of micro-exponents a pair that both lie in
// the lower half and are not shifted; int8 -128, whose block has the next larger scale; -0 where zeros have one sign.
TEST(EveryBlockFormat, EveryCodeSurvivesAndCodesAreInOrder) {
  ForEachBlockSpec([](const BlockSpec& spec) {
    const int bits = spec.element_bits();
    const uint32_t sign = 1u << (bits - 1);
    const bool twos_complement = !HasTwoZeros(spec);
    const bool zero_keeps_sign = GridOf(spec).zero_sign != ZeroSign::kPositive;
    const int64_t shape[] = {2};
    const uint32_t largest =
        spec.element ? reference::MiniFloatCode(*spec.element, Overflow::kSaturate, 1e30f) : sign - 1;
    const int shifts = spec.family == BlockSpec::Family::kMicro ? 2 : 1;
    for (int shift = 0; shift < shifts; ++shift) {
      float previous = -1;
      for (uint32_t code = 0; code < 2 * sign; ++code) {
        // The pair, or the block, is the code and one that has the scale.
        BlockCodes codes{.elements = {code, largest}, .exponents = {3}, .shifts = {}};
        if (shifts == 2) {
          codes.shifts = {static_cast<uint8_t>(shift)};
          if (shift == 1) codes.elements = {code, code};
        }
        const bool is_alias =
            (twos_complement && code == sign) || (HasTwoZeros(spec) && !zero_keeps_sign && code == sign);
        std::vector<float> values(2);
        ASSERT_TRUE(Decode(spec, shape, 0, codes, values.data()).ok());
        if (!std::isfinite(values[0])) {
          EXPECT_GT(code & (sign - 1), largest) << "only codes beyond the largest are infinite or NaN";
          continue;
        }
        if (code < sign) {
          EXPECT_GT(values[0], previous) << code;
        }
        previous = values[0];
        if (is_alias || shift == 1) continue;  // a shifted pair alone would not be the block's largest
        const Result<BlockCodes> again = Encode(spec, shape, 0, values.data());
        ASSERT_TRUE(again.ok());
        ASSERT_EQ(*again, codes) << code;
      }
    }
  });
}

// The shifted pairs of micro-exponents, in a block whose first pair has the scale.
TEST(EveryBlockFormat, EveryShiftedPairSurvives) {
  ForEachBlockSpec([](const BlockSpec& spec) {
    if (spec.family != BlockSpec::Family::kMicro) return;
    const uint32_t count = 1u << spec.element_bits(), largest = count / 2 - 1;
    const int64_t shape[] = {4};
    for (uint32_t first = 0; first < count; ++first) {
      for (uint32_t second = 0; second < count; second += spec.element_bits() > 5 ? 37 : 1) {
        const BlockCodes codes{.elements = {largest, 0, first, second}, .exponents = {-5}, .shifts = {0, 1}};
        std::vector<float> values(4);
        ASSERT_TRUE(Decode(spec, shape, 0, codes, values.data()).ok());
        ASSERT_EQ(*Encode(spec, shape, 0, values.data()), codes) << first << ' ' << second;
      }
    }
  });
}

// Every scale that a block can have.
TEST(EveryBlockFormat, EveryScaleSurvives) {
  ForEachBlockSpec([](const BlockSpec& spec) {
    const int64_t shape[] = {2};
    const uint32_t largest = spec.element ? reference::MiniFloatCode(*spec.element, Overflow::kSaturate, 1e30f)
                                          : (1u << (spec.element_bits() - 1)) - 1;
    const int emax = spec.element ? spec.element->max_exponent() : 0;
    const int lowest = spec.family == BlockSpec::Family::kMicro ? -126 : -127;  // denormals are zeros there
    for (int exponent = lowest; exponent <= 127 - emax; ++exponent) {
      const BlockCodes codes{.elements = {largest, 0},
                             .exponents = {static_cast<int16_t>(exponent)},
                             .shifts = std::vector<uint8_t>(spec.family == BlockSpec::Family::kMicro ? 1 : 0)};
      std::vector<float> values(2);
      ASSERT_TRUE(Decode(spec, shape, 0, codes, values.data()).ok());
      ASSERT_TRUE(std::isfinite(values[0])) << exponent;
      ASSERT_EQ(*Encode(spec, shape, 0, values.data()), codes) << exponent;
      EXPECT_EQ(test::Unpack(spec, *test::Pack(spec, codes), codes.elements.size(), codes.shifts.size()), codes)
          << exponent;
    }
  });
}

// Halfway between neighbouring codes, and a float to either side.
TEST(EveryBlockFormat, TiesGoWhereTheRoundingSays) {
  ForEachBlockSpec([](const BlockSpec& spec) {
    const uint32_t sign = 1u << (spec.element_bits() - 1);
    const int64_t shape[] = {2};
    const uint32_t largest =
        spec.element ? reference::MiniFloatCode(*spec.element, Overflow::kSaturate, 1e30f) : sign - 1;
    std::vector<float> positive;  // the values of the codes 0…largest, times 2^3
    for (uint32_t code = 0; code <= largest; ++code) {
      BlockCodes codes{.elements = {code, largest}, .exponents = {3}, .shifts = {}};
      if (spec.family == BlockSpec::Family::kMicro) codes.shifts = {0};
      float values[2];
      ASSERT_TRUE(Decode(spec, shape, 0, codes, values).ok());
      positive.push_back(values[0]);
    }
    const Rounding rounding = spec.element ? Rounding::kHalfEven : spec.rounding;
    for (size_t code = 0; code + 1 < positive.size(); ++code) {
      const float low = positive[code], high = positive[code + 1], tie = (low + high) / 2;
      const bool up = rounding != Rounding::kHalfEven || code % 2 == 1;
      const bool down_below_zero =
          rounding == Rounding::kHalfAway || (rounding == Rounding::kHalfEven && code % 2 == 1);
      const auto rounded = [&](float x) { return Rounded(spec, {x, positive.back()})[0]; };
      EXPECT_EQ(rounded(tie), up ? high : low);
      EXPECT_EQ(rounded(-tie), -(down_below_zero ? high : low));
      for (const float s : {1.0f, -1.0f}) {
        EXPECT_EQ(rounded(s * std::nextafter(tie, 0.0f)), s * low);
        EXPECT_EQ(rounded(s * std::nextafter(tie, FLT_MAX)), s * high);
      }
    }
  });
}

// int8 with code -128 is the one exception: a block whose largest is -2 has another exponent.
TEST(EveryBlockFormat, ASecondTimeChangesNothing) {
  ForEachBlockSpec([](const BlockSpec& spec) {
    if (!HasTwoZeros(spec) && spec.numerics == Numerics::kCompat) return;
    for (uint32_t seed = 0; seed < 20; ++seed) {
      const std::vector<float> once = Rounded(spec, WithEdgeValues(RandomFloats(2000, seed, 3), seed, 500));
      EXPECT_EQ(FirstDifference(Rounded(spec, once), once), once.size());
    }
  });
}

TEST(EveryBlockFormat, ErrorIsHalfAStepAtMost) {
  ForEachBlockSpec([](const BlockSpec& spec) {
    const std::vector<float> x = RandomFloats(spec.block_size * 100, 5, 2);
    const std::vector<float> y = Rounded(spec, x);
    const int mantissa_bits = spec.element ? spec.element->mantissa_bits : spec.magnitude_bits() - 1;
    double worst = 0;
    for (size_t begin = 0; begin < x.size(); begin += static_cast<size_t>(spec.block_size)) {
      double largest = 0, error = 0;
      for (size_t i = begin; i < begin + static_cast<size_t>(spec.block_size); ++i) {
        largest = std::max(largest, std::abs(double{x[i]}));
        error = std::max(error, std::abs(double{x[i]} - y[i]));
      }
      if (largest == 0) continue;
      // One step of the largest binade; half of it but for what saturates.
      const double step = std::ldexp(1.0, std::ilogb(largest) - mantissa_bits);
      worst = std::max(worst, error / step);
    }
    EXPECT_LE(worst, spec.element && spec.element->specials == MiniFloat::Specials::kNan ? 2.0 : 1.0);
    EXPECT_GE(worst, 0.4) << "too small: compared with itself?";
  });
}

// What scales the data by a power of two scales the result.
TEST(EveryBlockFormat, PowersOfTwoCommute) {
  ForEachBlockSpec([](const BlockSpec& spec) {
    const std::vector<float> x = RandomFloats(999, 8);
    std::vector<float> wanted = Rounded(spec, x), scaled = x;
    for (float& value : scaled) value *= 0x1p20f;
    for (float& value : wanted) value *= 0x1p20f;
    EXPECT_EQ(FirstDifference(Rounded(spec, scaled), wanted), wanted.size());
  });
}

TEST(EveryNumberFormat, CombinationsThatCannotBe) {
  const auto check = [](std::string_view name, ScaleType scale_type, Granularity granularity, bool symmetric) {
    return CheckCombination(TensorType(**NumberFormats().Find(name)), scale_type, granularity, symmetric);
  };
  for (const auto& format : NumberFormats().entries()) {
    EXPECT_TRUE(CheckCombination(TensorType(*format), ScaleType::kFloat32, Granularity::kPerTensor, true).ok())
        << format->name();
    for (const Granularity granularity : {Granularity::kPerAxis, Granularity::kPerBlock}) {
      if (!format->block()) continue;
      const Status status = CheckCombination(TensorType(*format), ScaleType::kFloat32, granularity, true);
      EXPECT_EQ(status.id(), ErrorId::kFormatCombination) << format->name();
    }
  }
  EXPECT_TRUE(check("int4", ScaleType::kInt16, Granularity::kPerBlock, false).ok());
  EXPECT_TRUE(check("uint32", ScaleType::kPowerOfTwo, Granularity::kPerAxis, false).ok());
  EXPECT_TRUE(check("float8e4m3fn", ScaleType::kFloat32, Granularity::kPerBlock, true).ok());
  EXPECT_EQ(check("uint32", ScaleType::kInt16, Granularity::kPerTensor, true).id(), ErrorId::kFormatCombination);
  EXPECT_EQ(check("int32", ScaleType::kFloat32, Granularity::kPerBlock, true).id(), ErrorId::kFormatCombination);
  EXPECT_EQ(check("bfloat16", ScaleType::kFloat32, Granularity::kPerBlock, true).id(), ErrorId::kFormatCombination);
  EXPECT_EQ(check("float16", ScaleType::kFloat32, Granularity::kPerTensor, false).id(), ErrorId::kFormatCombination);
  EXPECT_EQ(check("mx9", ScaleType::kFloat32, Granularity::kPerTensor, false).id(), ErrorId::kFormatCombination);
  EXPECT_EQ(check("mxint8", ScaleType::kPowerOfTwo, Granularity::kPerTensor, true).message(),
            "mxint8: scales that are rounded: its blocks have exponents of their own");
}

}  // namespace
}  // namespace preon
