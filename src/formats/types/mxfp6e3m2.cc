// mxfp6e3m2: OCP MXFP6 with elements of FP6 E3M2. 32 neighbours share a scale 2^k, k = floor(log2(largest)) - 4; each
// is a float of 1 sign, 3 exponent (bias 3) and 2 mantissa bits, times 2^k.
//
// Range      elements to ±28, smallest normal one 2^-2, smallest of all 2^-4; scales 2^-127 to 2^127
// Precision  half of 2^-2 relative, down to elements of 2^-2
// Special    scale byte 255: the block is NaN, which one NaN or infinity makes it. Elements have no special codes
// Rounding   to nearest, ties to even, whatever rounding_mode says; elements beyond ±28 saturate; zeros keep their
//            sign
// Packing    6.25 bits per value: 6 of an element, and a byte k + 127 (E8M0) per block
// ONNX       none: operator MXQuantizeDequantize ("fp6_e3m2") on floats
// Compat     NaN and infinities stay as they are and don't count; k may fall to -131; all zeros are +0; a tensor of
//            one element stays as it is
// Source     OCP Microscaling Formats v1.0
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeMxFp6E3M2Format() {
  return std::make_unique<NumberFormat>(
      "mxfp6e3m2", std::vector<std::string_view>{"mxfp6_e3m2"},
      "OCP MXFP6: 32 values share a power of two; 6-bit floats up to 28",
      BlockSpec{.family = BlockSpec::Family::kMx, .block_size = 32, .element = kE3M2});
}

}  // namespace preon
