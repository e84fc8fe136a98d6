#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/mini_float.h"

namespace preon::reference {
namespace {

using Specials = MiniFloat::Specials;

/// In double, where every step but the rounding is exact.
double RoundedMagnitude(const MiniFloat& format, Overflow overflow, double magnitude) {
  if (std::isinf(magnitude)) magnitude = 0x1p128;
  const int exponent = std::max(ExponentOf(magnitude), format.min_exponent());  // that of 0 is -1023
  const int last_place = exponent - format.mantissa_bits;
  const double rounded = std::nearbyint(magnitude * WidePowerOfTwo(-last_place)) * WidePowerOfTwo(last_place);
  if (rounded <= format.largest()) return rounded;
  if (overflow == Overflow::kSaturate || format.specials == Specials::kNone) return format.largest();
  return format.specials == Specials::kNan ? std::numeric_limits<double>::quiet_NaN()
                                           : std::numeric_limits<double>::infinity();
}

}  // namespace

void RoundToMiniFloat(const MiniFloat& format, Overflow overflow, const float* x, size_t count, float* out) {
  for (size_t i = 0; i < count; ++i) {
    if (std::isnan(x[i])) {
      out[i] = x[i];
    } else {
      out[i] = std::copysign(static_cast<float>(RoundedMagnitude(format, overflow, std::abs(double{x[i]}))), x[i]);
    }
  }
}

uint32_t MiniFloatCode(const MiniFloat& format, Overflow overflow, float x) {
  const uint32_t sign = std::signbit(x) ? 1u << (format.bits() - 1) : 0;
  const uint32_t largest_exponent = (1u << format.exponent_bits) - 1, ones = (1u << format.mantissa_bits) - 1;
  const double value = std::isnan(x) ? x : RoundedMagnitude(format, overflow, std::abs(double{x}));
  if (std::isnan(value)) {
    if (format.specials == Specials::kNone) return 0;
    const uint32_t mantissa = format.specials == Specials::kNan ? ones : 1u << (format.mantissa_bits - 1);
    return sign | largest_exponent << format.mantissa_bits | mantissa;
  }
  if (std::isinf(value)) return sign | largest_exponent << format.mantissa_bits;
  if (value < WidePowerOfTwo(format.min_exponent())) {
    return sign | static_cast<uint32_t>(value * WidePowerOfTwo(format.mantissa_bits - format.min_exponent()));
  }
  const int exponent = ExponentOf(value);
  const auto significand = static_cast<uint32_t>(value * WidePowerOfTwo(format.mantissa_bits - exponent));
  return sign | static_cast<uint32_t>(exponent + format.bias()) << format.mantissa_bits | (significand & ones);
}

float MiniFloatValue(const MiniFloat& format, uint32_t code) {
  const uint32_t largest_exponent = (1u << format.exponent_bits) - 1, ones = (1u << format.mantissa_bits) - 1;
  const bool negative = code >> (format.bits() - 1);
  const uint32_t exponent = code >> format.mantissa_bits & largest_exponent, mantissa = code & ones;
  double magnitude;
  if (exponent == largest_exponent && format.specials == Specials::kInfAndNan) {
    magnitude = mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == largest_exponent && mantissa == ones && format.specials == Specials::kNan) {
    magnitude = std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = mantissa * WidePowerOfTwo(format.min_exponent() - format.mantissa_bits);
  } else {
    magnitude =
        (mantissa + ones + 1) * WidePowerOfTwo(static_cast<int>(exponent) - format.bias() - format.mantissa_bits);
  }
  return static_cast<float>(negative ? -magnitude : magnitude);
}

void EncodeMiniFloat(const MiniFloat& format, Overflow overflow, const float* x, size_t count, uint16_t* codes) {
  for (size_t i = 0; i < count; ++i) codes[i] = static_cast<uint16_t>(MiniFloatCode(format, overflow, x[i]));
}

void DecodeMiniFloat(const MiniFloat& format, const uint16_t* codes, size_t count, float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = MiniFloatValue(format, codes[i]);
}

}  // namespace preon::reference
