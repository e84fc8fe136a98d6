// mx4: shared micro-exponents. 16 neighbours share an 8-bit exponent e, that of the largest; each pair has a bit D, 1
// if both lie below 2^e; each value has a sign and a magnitude M of 2 bits without a hidden one:
// real = ±M · 2^(e - D - 1).
//
// Range      up to 3/2 · 2^127; denormals are zeros
// Precision  2^(e - D - 2): 1/4 to 1/16 of the block's largest magnitude
// Special    exponent byte 255: the block is NaN, which one NaN or infinity makes it. There is -0
// Rounding   to nearest, by default ties to even; what rounds to 4 is 3. Zeros keep their sign
// Packing    4 bits per value: 3 of sign and magnitude, a byte e + 127 per block, a bit D per pair
// ONNX       none: operator BFPQuantizeDequantize ("to_bfp_prime") on floats
// Compat     a tensor of one element stays as it is
// Source     arXiv 2302.08007
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeMx4Format() {
  return std::make_unique<NumberFormat>(
      "mx4", std::vector<std::string_view>{},
      "16 values share an exponent, each pair one more bit of it; sign and 2 bits each",
      BlockSpec{.family = BlockSpec::Family::kMicro,
                .block_size = 16,
                .bit_width = 11,
                .sub_block_size = 2,
                .sub_block_shift_bits = 1});
}

}  // namespace preon
