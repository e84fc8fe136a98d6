// mxfp6e2m3: OCP MXFP6 with elements of FP6 E2M3. 32 neighbours share a scale 2^k, k = floor(log2(largest)) - 2; each
// is a float of 1 sign, 2 exponent (bias 1) and 3 mantissa bits, times 2^k.
//
// Range      elements to ±7.5, smallest normal one 1, smallest of all 2^-3; scales 2^-127 to 2^127
// Precision  half of 2^-3 relative, down to elements of 1
// Special    scale byte 255: the block is NaN, which one NaN or infinity makes it. Elements have no special codes
// Rounding   to nearest, ties to even, whatever rounding_mode says; elements beyond ±7.5 saturate; zeros keep their
//            sign
// Packing    6.25 bits per value: 6 of an element, and a byte k + 127 (E8M0) per block
// ONNX       none: operator MXQuantizeDequantize ("fp6_e2m3") on floats
// Compat     NaN and infinities stay as they are and don't count; k may fall to -129; all zeros are +0; a tensor of
//            one element stays as it is
// Source     OCP Microscaling Formats v1.0
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeMxFp6E2M3Format() {
  return std::make_unique<NumberFormat>(
      "mxfp6e2m3", std::vector<std::string_view>{"mxfp6_e2m3"},
      "OCP MXFP6: 32 values share a power of two; 6-bit floats up to 7.5",
      BlockSpec{.family = BlockSpec::Family::kMx, .block_size = 32, .element = kE2M3});
}

}  // namespace preon
