// int32: integer codes with a scale and a zero point.
//
// Range      -2^31 to 2^31 - 1; symmetric ±(2^31 - 1); reduced ±2^30
// Value      scale · (code - zero_point)
// Precision  scale / 2 inside of the range
// Special    none; NaN becomes the smallest code, infinities saturate
// Rounding   x / scale in float, to nearest, ties to even; then the zero point is added and the sum saturates
// Packing    four bytes, low one first, two's complement
// ONNX       INT32: DequantizeLinear from opset 10; nothing quantizes to it but ExtendedQuantizeLinear
//
// Quotients are floats: codes beyond 2^24 steps from the zero point are multiples of powers of two. The difference of
// code and zero point is exact and is rounded to float before the product.
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeInt32Format() {
  return std::make_unique<NumberFormat>("int32", std::vector<std::string_view>{"QInt32"}, "integer, -2^31 to 2^31 - 1",
                                        LinearSpec{DataType::kInt32});
}

}  // namespace preon
