// float8e5m2: floating codes, 1 sign, 5 exponent (bias 15) and 2 mantissa bits: OFP8 E5M2.
//
// Range      ±57344; smallest normal value 2^-14, smallest of all 2^-16
// Precision  half of 2^-2 relative; 2^-17 below 2^-14
// Special    S.11111.00 is infinite, S.11111.{01,10,11} NaN; x that is NaN stays NaN
// Rounding   of x / scale + zero_point (both usually absent: scale 1, zero point 0): to nearest, ties to even, with
//            gradual underflow; infinities and what is beyond the range saturate
// Packing    a byte
// ONNX       FLOAT8E5M2: QuantizeLinear (saturate = 1), DequantizeLinear from opset 19; zero point 0
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeFloat8E5M2Format() {
  return std::make_unique<NumberFormat>("float8e5m2", std::vector<std::string_view>{"QFloat8E5M2", "fp8-e5m2"},
                                        "8-bit floating, up to 57344", LinearSpec{DataType::kFloat8E5M2});
}

}  // namespace preon
