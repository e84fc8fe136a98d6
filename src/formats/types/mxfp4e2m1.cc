// mxfp4e2m1: OCP MXFP4 with elements of FP4 E2M1. 32 neighbours share a scale 2^k, k = floor(log2(largest)) - 2; each
// is a float of 1 sign, 2 exponent (bias 1) and 1 mantissa bits, times 2^k.
//
// Range      elements to ±6, smallest normal one 1, smallest of all 0.5; scales 2^-127 to 2^127
// Precision  half of 2^-1 relative, down to elements of 1
// Special    scale byte 255: the block is NaN, which one NaN or infinity makes it. Elements have no special codes
// Rounding   to nearest, ties to even, whatever rounding_mode says; elements beyond ±6 saturate; zeros keep their
//            sign
// Packing    4.25 bits per value: 4 of an element, and a byte k + 127 (E8M0) per block
// ONNX       none: operator MXQuantizeDequantize ("fp4_e2m1") on floats
// Compat     NaN and infinities stay as they are and don't count; k may fall to -129; all zeros are +0; a tensor of
//            one element stays as it is
// Source     OCP Microscaling Formats v1.0
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeMxFp4E2M1Format() {
  return std::make_unique<NumberFormat>(
      "mxfp4e2m1", std::vector<std::string_view>{"mxfp4_e2m1"},
      "OCP MXFP4: 32 values share a power of two; 4-bit floats up to 6",
      BlockSpec{.family = BlockSpec::Family::kMx, .block_size = 32, .element = kE2M1});
}

}  // namespace preon
