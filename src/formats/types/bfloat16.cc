// bfloat16: floating codes, 1 sign, 8 exponent (bias 127) and 7 mantissa bits: the upper half of a float.
//
// Range      ±3.3895314e38; smallest normal value 2^-126, smallest of all 2^-133
// Precision  half of 2^-7 relative
// Special    infinities and NaN; x that is NaN stays NaN
// Rounding   of x / scale + zero_point (both usually absent: scale 1, zero point 0): to nearest, ties to even, with
//            gradual underflow; from 3.3961775e38 on infinity
// Packing    two bytes, low one first
// ONNX       BFLOAT16: Cast from opset 13, or the Extended operators
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeBFloat16Format() {
  return std::make_unique<NumberFormat>("bfloat16", std::vector<std::string_view>{"QBFloat16", "bf16"},
                                        "upper half of a float32: the same range, 8 bits of precision",
                                        LinearSpec{DataType::kBFloat16});
}

}  // namespace preon
