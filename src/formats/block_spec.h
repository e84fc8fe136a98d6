// BlockSpec: a format whose elements share exponents, with everything that a user can set about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "kernels/block_grid.h"

namespace preon {

/// Whose arithmetic, where Quark's and the published format's differ.
enum class Numerics : uint8_t {
  kStrict,  ///< the published format's
  kCompat,  ///< AMD Quark 0.13's, bit for bit
};

/// Families, and their differences between kCompat and kStrict:
///
/// kBfp    one exponent for block_size elements of a sign and magnitude_bits() bits, no hidden bit.
///         NaN and infinities: stay as they are and don't count | make their block NaN. Negative values that round to
///         zero, ties to even: +0 but for the tiniest | -0.
/// kMicro  the same with one more exponent of sub_block_shift_bits for every sub_block_size elements; denormals are
///         zeros; NaN and infinities make their block NaN. No difference but for tensors of one element.
/// kMx     a scale 2^k in E8M0 and elements of `element`, or of int8 multiples of 2^-6 (no `element`).
///         NaN and infinities: as kBfp. k: may fall below -127 | not. Negative values that round to zero: +0 |
///         floating -0, int8 +0. int8 code -128: used | not.
///
/// All: a tensor of exactly one element is returned as it is | quantized.
struct BlockSpec {
  enum class Family : uint8_t { kBfp, kMicro, kMx };

  Family family = Family::kBfp;
  int64_t block_size = 8;
  int64_t bit_width = 16;                                ///< kBfp, kMicro: 8 bits of exponent, a sign, magnitude_bits()
  int64_t sub_block_size = 2, sub_block_shift_bits = 1;  ///< kMicro
  std::optional<MiniFloat> element;                      ///< kMx
  Rounding rounding = Rounding::kHalfEven;               ///< floating elements: always ties to even
  Numerics numerics = Numerics::kStrict;
  bool bfloat_first = false;    ///< values are rounded to bfloat16 before anything else
  bool raise_exponent = false;  ///< kBfp, m = 7: rather than cutting off what rounds to 128, the exponent grows by one

  /// Magnitude bits of a fixed-point element.
  int magnitude_bits() const { return family == Family::kMx ? 7 : static_cast<int>(bit_width) - 9; }
  /// Bits of one element's code, its share of what it has in common with others not counted.
  int element_bits() const { return element ? element->bits() : magnitude_bits() + 1; }
  /// All bits per element of a full block.
  double bits_per_element() const;
  bool operator==(const BlockSpec&) const = default;
};

/// Errors: kFormatAttribute for bit widths outside 10…32, sizes below 1, sub-blocks that don't divide the block, shifts
/// beyond 7 bits. Every other function here and in block_codec.h wants a spec that passed.
Status CheckSpec(const BlockSpec& spec);

/// The arithmetic of a spec.
BlockGrid GridOf(const BlockSpec& spec);

/// 0, 1, 2. Errors: kFormatAttribute.
Result<Rounding> RoundingOfMode(int64_t rounding_mode);

/// Attributes of the operators BFPQuantizeDequantize and MXQuantizeDequantize (BFPFixNeuron, MXFixNeuron) with their
/// defaults; `axis` is an argument of block_codec.h's functions.
struct BfpAttributes {
  std::string bfp_method = "to_bfp";  ///< or "to_bfp_prime", "to_bfp_prime_shared"
  int64_t bit_width = 16, block_size = 8, rounding_mode = 0;
  int64_t sub_block_size = 2, sub_block_shift_bits = 1;  ///< to_bfp_prime
  int64_t convert_to_bfloat_before_bfp = 0, use_compiler_version_cpu_kernel = 0;
};
struct MxAttributes {
  std::string element_dtype = "int8";
  int64_t block_size = 32, rounding_mode = 0;
};

/// Errors: kFormatAttribute, with the attribute's name.
Result<BlockSpec> SpecOf(const BfpAttributes& attributes, Numerics numerics);
Result<BlockSpec> SpecOf(const MxAttributes& attributes, Numerics numerics);

/// The attributes that say the same; the inverse of SpecOf. A spec has either these or those.
BfpAttributes BfpAttributesOf(const BlockSpec& spec);
MxAttributes MxAttributesOf(const BlockSpec& spec);

}  // namespace preon
