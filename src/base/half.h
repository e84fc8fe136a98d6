// Half: IEEE 754 binary16 as it is stored, which C++20 has no type for.
#pragma once

#include <bit>
#include <cstdint>

namespace preon {

/// Widens exactly; rounds to nearest, ties to even, with gradual underflow, infinities beyond 65504. NaN stays NaN.
struct Half {
  uint16_t bits = 0;

  constexpr Half() = default;
  constexpr explicit Half(float value) : bits(Rounded(std::bit_cast<uint32_t>(value))) {}
  constexpr operator float() const {  // NOLINT: reads like the number it is
    const uint32_t code = bits & 0x7fff;
    // Denormals are units of 2^-24, the last place of 0.5. No float here is a denormal, which some threads flush.
    const uint32_t denormal = std::bit_cast<uint32_t>(std::bit_cast<float>(kOneHalf + (code & 0x3ff)) - 0.5f);
    const uint32_t normal = (code << 13) + (code < 0x7c00 ? 112u << 23 : 224u << 23);
    return std::bit_cast<float>(static_cast<uint32_t>(bits & 0x8000) << 16 | (code < 0x400 ? denormal : normal));
  }

 private:
  static constexpr uint32_t kOneHalf = 0x3f000000;  // the bits of 0.5

  static constexpr uint16_t Rounded(uint32_t value) {
    const auto sign = static_cast<uint16_t>(value >> 16 & 0x8000);
    const uint32_t magnitude = value & 0x7fffffff;
    uint32_t code = 0;
    if (magnitude > 0x7f800000) {
      code = 0x7e00;
    } else if (magnitude >= 0x477ff000) {  // 65520 and more
      code = 0x7c00;
    } else if (magnitude >= 0x38800000) {  // 2^-14 and more; a carry goes on into the exponent
      code = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
    } else {
      code = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - kOneHalf;
    }
    return static_cast<uint16_t>(sign | code);
  }
};

static_assert(sizeof(Half) == 2);

}  // namespace preon
