// float8e4m3fn: floating codes, 1 sign, 4 exponent (bias 7) and 3 mantissa bits: OFP8 E4M3.
//
// Range      ±448; smallest normal value 2^-6, smallest of all 2^-9
// Precision  half of 2^-3 relative; 2^-10 below 2^-6
// Special    S.1111.111 is NaN, x that is NaN stays NaN; no infinities
// Rounding   of x / scale + zero_point (both usually absent: scale 1, zero point 0): to nearest, ties to even, with
//            gradual underflow; infinities and what is beyond the range saturate
// Packing    a byte
// ONNX       FLOAT8E4M3FN: QuantizeLinear (saturate = 1), DequantizeLinear from opset 19; zero point 0
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeFloat8E4M3FNFormat() {
  return std::make_unique<NumberFormat>("float8e4m3fn",
                                        std::vector<std::string_view>{"QFloat8E4M3FN", "fp8", "fp8-e4m3"},
                                        "8-bit floating, up to 448", LinearSpec{DataType::kFloat8E4M3FN});
}

}  // namespace preon
