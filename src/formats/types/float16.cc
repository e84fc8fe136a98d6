// float16: floating codes, 1 sign, 5 exponent (bias 15) and 10 mantissa bits: IEEE 754 binary16.
//
// Range      ±65504; smallest normal value 2^-14, smallest of all 2^-24
// Precision  half of 2^-10 relative; 2^-25 below 2^-14
// Special    infinities and NaN; x that is NaN stays NaN
// Rounding   of x / scale + zero_point (both usually absent: scale 1, zero point 0): to nearest, ties to even, with
//            gradual underflow; infinities and what is beyond the range saturate
// Packing    two bytes, low one first
// ONNX       FLOAT16: Clip and Cast from opset 13, or the Extended operators
// Compat     scale and zero point are ignored
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeFloat16Format() {
  return std::make_unique<NumberFormat>("float16", std::vector<std::string_view>{"QFloat16", "fp16"},
                                        "IEEE 754 half precision, up to 65504", LinearSpec{DataType::kFloat16});
}

}  // namespace preon
