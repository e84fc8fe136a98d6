// For tests: codes of blocks as bytes, which shows that they need no more bits than their format says.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "formats/bit_packing.h"
#include "formats/block_codec.h"

namespace preon::test {

inline constexpr int kExponentBias = 127, kNanScale = 255;

/// Nothing wasted but the bits behind the last code of each plane. Codes follow one another from the lowest bit of the
/// first byte up.
struct PackedBlocks {
  std::vector<std::byte> elements;  ///< element_bits() each
  std::vector<std::byte> scales;    ///< a byte per block: exponent + 127; 255: NaN
  std::vector<std::byte> shifts;    ///< sub_block_shift_bits each

  size_t size_bytes() const { return elements.size() + scales.size() + shifts.size(); }
};

/// Nullopt for exponents outside of -127…127, which only kCompat has.
inline std::optional<PackedBlocks> Pack(const BlockSpec& spec, const BlockCodes& codes) {
  PackedBlocks packed;
  packed.elements = PackBits(codes.elements, spec.element_bits());
  for (const int16_t exponent : codes.exponents) {
    const int biased = exponent == BlockCodes::kNaN ? kNanScale : exponent + kExponentBias;
    if (biased < 0 || (biased >= kNanScale && exponent != BlockCodes::kNaN)) return std::nullopt;
    packed.scales.push_back(static_cast<std::byte>(biased));
  }
  const std::vector<uint32_t> shifts(codes.shifts.begin(), codes.shifts.end());
  packed.shifts = PackBits(shifts, static_cast<int>(spec.sub_block_shift_bits));
  return packed;
}

/// @param elements, shifts  how many there are
inline BlockCodes Unpack(const BlockSpec& spec, const PackedBlocks& packed, size_t elements, size_t shifts) {
  BlockCodes codes;
  codes.elements = UnpackBits(packed.elements, elements, spec.element_bits());
  for (const std::byte scale : packed.scales) {
    const int biased = std::to_integer<int>(scale);
    codes.exponents.push_back(biased == kNanScale ? BlockCodes::kNaN : static_cast<int16_t>(biased - kExponentBias));
  }
  for (const uint32_t shift : UnpackBits(packed.shifts, shifts, static_cast<int>(spec.sub_block_shift_bits)))
    codes.shifts.push_back(static_cast<uint8_t>(shift));
  return codes;
}

}  // namespace preon::test
