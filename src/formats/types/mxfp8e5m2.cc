// mxfp8e5m2: OCP MXFP8 with elements of FP8 E5M2. 32 neighbours share a scale 2^k, k = floor(log2(largest)) - 15; each
// is a float of 1 sign, 5 exponent (bias 15) and 2 mantissa bits, times 2^k.
//
// Range      elements to ±57344, smallest normal one 2^-14, smallest of all 2^-16; scales 2^-127 to 2^127
// Precision  half of 2^-2 relative, down to elements of 2^-14
// Special    scale byte 255: the block is NaN, which one NaN or infinity makes it. Elements that are
//            infinite or NaN can be read and are never written
// Rounding   to nearest, ties to even, whatever rounding_mode says; elements beyond ±57344 saturate; zeros keep their
//            sign
// Packing    8.25 bits per value: 8 of an element, and a byte k + 127 (E8M0) per block
// ONNX       none: operator MXQuantizeDequantize ("fp8_e5m2") on floats
// Compat     NaN and infinities stay as they are and don't count; k may fall to -142; all zeros are +0; a tensor of
//            one element stays as it is
// Source     OCP Microscaling Formats v1.0
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeMxFp8E5M2Format() {
  return std::make_unique<NumberFormat>(
      "mxfp8e5m2", std::vector<std::string_view>{"mxfp8_e5m2"},
      "OCP MXFP8: 32 values share a power of two; 8-bit floats up to 57344",
      BlockSpec{.family = BlockSpec::Family::kMx, .block_size = 32, .element = kE5M2});
}

}  // namespace preon
