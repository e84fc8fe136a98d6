// mx9: shared micro-exponents. 16 neighbours share an 8-bit exponent e, that of the largest; each pair has a bit D, 1
// if both lie below 2^e; each value has a sign and a magnitude M of 7 bits without a hidden one:
// real = ±M · 2^(e - D - 6).
//
// Range      up to 127/64 · 2^127; denormals are zeros
// Precision  2^(e - D - 7): 1/128 to 1/512 of the block's largest magnitude
// Special    exponent byte 255: the block is NaN, which one NaN or infinity makes it. There is -0
// Rounding   to nearest, by default ties to even; what rounds to 128 is 127. Zeros keep their sign
// Packing    9 bits per value: 8 of sign and magnitude, a byte e + 127 per block, a bit D per pair
// ONNX       none: operator BFPQuantizeDequantize ("to_bfp_prime") on floats
// Compat     a tensor of one element stays as it is
// Source     arXiv 2302.08007
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeMx9Format() {
  return std::make_unique<NumberFormat>(
      "mx9", std::vector<std::string_view>{},
      "16 values share an exponent, each pair one more bit of it; sign and 7 bits each",
      BlockSpec{.family = BlockSpec::Family::kMicro,
                .block_size = 16,
                .bit_width = 16,
                .sub_block_size = 2,
                .sub_block_shift_bits = 1});
}

}  // namespace preon
