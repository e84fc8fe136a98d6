// int4: integer codes with a scale and a zero point.
//
// Range      -8 to 7; symmetric the same; reduced -4 to 3
// Value      scale · (code - zero_point)
// Precision  scale / 2 inside of the range
// Special    none; NaN becomes the smallest code, infinities saturate
// Rounding   x / scale in float, to nearest, ties to even; then the zero point is added and the sum saturates
// Packing    two codes per byte in two's complement, the first in the low half; an odd last one has 0 above
// ONNX       INT4: QuantizeLinear, DequantizeLinear from opset 21
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeInt4Format() {
  return std::make_unique<NumberFormat>("int4", std::vector<std::string_view>{"QInt4"}, "integer, -8 to 7",
                                        LinearSpec{DataType::kInt4});
}

}  // namespace preon
