// Floating formats of at most 16 bits: one sign bit, exponent, mantissa. Values, codes, and rounding to them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace preon {

/// 2^exponent, exponent in -126…127.
constexpr float PowerOfTwo(int exponent) { return std::bit_cast<float>(static_cast<uint32_t>(exponent + 127) << 23); }

namespace reference {

// Powers of two by their bits: the reference is the way of every value that the vectors leave to it, and of codes, and
// ldexp and ilogb would be most of its time.

/// 2^exponent, exponent in -1022…1023.
constexpr double WidePowerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}
/// floor(log2 x) of a normal x > 0.
constexpr int ExponentOf(double x) { return static_cast<int>(std::bit_cast<uint64_t>(x) >> 52) - 1023; }

}  // namespace reference

/// Sign, biased exponent, mantissa, from the highest bit down; exponent 0 holds zero and the denormals. The bias is
/// 2^(exponent_bits-1) - 1, as in IEEE 754.
struct MiniFloat {
  enum class Specials : uint8_t {
    kNone,       ///< every code is a finite value
    kNan,        ///< the code of all ones, of either sign, is NaN; there is no infinity
    kInfAndNan,  ///< the largest exponent is kept for them, as in IEEE 754
  };

  int exponent_bits = 0;
  int mantissa_bits = 0;
  Specials specials = Specials::kNone;

  constexpr int bits() const { return 1 + exponent_bits + mantissa_bits; }
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  /// Of the smallest normal value, and of all denormals.
  constexpr int min_exponent() const { return 1 - bias(); }
  constexpr int max_exponent() const {
    return (1 << exponent_bits) - (specials == Specials::kInfAndNan ? 2 : 1) - bias();
  }
  /// The largest finite value.
  constexpr float largest() const {
    const float last_place = PowerOfTwo(-mantissa_bits);
    return (2 - (specials == Specials::kNan ? 2 : 1) * last_place) * PowerOfTwo(max_exponent());
  }
  bool operator==(const MiniFloat&) const = default;
};

inline constexpr MiniFloat kE5M10{5, 10, MiniFloat::Specials::kInfAndNan};  ///< IEEE 754 binary16
inline constexpr MiniFloat kE8M7{8, 7, MiniFloat::Specials::kInfAndNan};    ///< bfloat16
inline constexpr MiniFloat kE4M3{4, 3, MiniFloat::Specials::kNan};
inline constexpr MiniFloat kE5M2{5, 2, MiniFloat::Specials::kInfAndNan};
inline constexpr MiniFloat kE3M2{3, 2};
inline constexpr MiniFloat kE2M3{2, 3};
inline constexpr MiniFloat kE2M1{2, 1};

/// What becomes of a value that rounds to more than the largest finite one, infinities included.
enum class Overflow : uint8_t {
  kSaturate,  ///< the largest finite value
  kInfinity,  ///< infinity; NaN where the format has none, the largest value where it has neither
};

/// out[i] = the value of `format` next to x[i], ties to even, with gradual underflow; zeros keep their sign. NaN stays
/// NaN, in formats without one too. `out` may be `x`.
void RoundToMiniFloat(const MiniFloat& format, Overflow overflow, const float* x, size_t count, float* out);

/// codes[i] = the code of the value next to x[i]. NaN: the quiet code, with the sign of x[i]; 0 where the format has
/// none.
void EncodeMiniFloat(const MiniFloat& format, Overflow overflow, const float* x, size_t count, uint16_t* codes);
/// out[i] = the value of codes[i]; the codes have no bits beyond format.bits().
void DecodeMiniFloat(const MiniFloat& format, const uint16_t* codes, size_t count, float* out);

namespace reference {

void RoundToMiniFloat(const MiniFloat& format, Overflow overflow, const float* x, size_t count, float* out);
void EncodeMiniFloat(const MiniFloat& format, Overflow overflow, const float* x, size_t count, uint16_t* codes);
void DecodeMiniFloat(const MiniFloat& format, const uint16_t* codes, size_t count, float* out);

uint32_t MiniFloatCode(const MiniFloat& format, Overflow overflow, float x);
float MiniFloatValue(const MiniFloat& format, uint32_t code);

}  // namespace reference
}  // namespace preon
