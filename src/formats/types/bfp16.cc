// bfp16: block floating point. 8 neighbours share an 8-bit exponent e, that of the largest; each has a sign and a
// magnitude M of 7 bits without a hidden one: real = ±M · 2^(e - 6).
//
// Range      up to 127/64 · 2^127; a block of denormals keeps them as multiples of 2^-133
// Precision  2^(e - 7): 1/128 to 1/256 of the block's largest magnitude
// Special    exponent byte 255: the block is NaN, which one NaN or infinity makes it. Codes 0x00 and 0x80 are 0 and -0
// Rounding   to nearest, by default ties to even; what rounds to 128 is 127
// Packing    9 bits per value: 8 of sign and magnitude, and a byte e + 127 per block
// ONNX       none: operator BFPQuantizeDequantize ("to_bfp") on floats
// Compat     NaN and infinities stay as they are and don't count; a tensor of one element stays as it is
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeBfp16Format() {
  return std::make_unique<NumberFormat>("bfp16", std::vector<std::string_view>{"QBFP"},
                                        "8 values share an exponent; sign and 7 bits each",
                                        BlockSpec{.family = BlockSpec::Family::kBfp, .block_size = 8, .bit_width = 16});
}

}  // namespace preon
