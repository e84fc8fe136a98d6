// mxint8: OCP MXINT8. 32 neighbours share a scale 2^k, k the exponent of the largest; each is an int8 code:
// real = code · 2^(k - 6).
//
// Range      up to 127/64 · 2^127
// Precision  2^(k - 7): 1/128 to 1/256 of the block's largest magnitude
// Special    scale byte 255: the block is NaN, which one NaN or infinity makes it
// Rounding   to nearest, by default ties to even; codes beyond ±127 saturate; one zero, +0
// Packing    8.25 bits per value: a byte in two's complement, and a byte k + 127 (E8M0) per block
// ONNX       none: operator MXQuantizeDequantize ("int8") on floats
// Compat     NaN and infinities stay as they are and don't count; code -128 is used, so that -1.9999 becomes -2 and the
//            largest negative floats -Inf; -0 stays -0; a tensor of one element stays as it is
// Source     OCP Microscaling Formats v1.0
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeMxInt8Format() {
  return std::make_unique<NumberFormat>("mxint8", std::vector<std::string_view>{"QMX"},
                                        "OCP MXINT8: 32 values share a power of two; 8 bits each",
                                        BlockSpec{.family = BlockSpec::Family::kMx, .block_size = 32});
}

}  // namespace preon
