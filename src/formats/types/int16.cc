// int16: integer codes with a scale and a zero point.
//
// Range      -32768 to 32767; symmetric -32767 to 32767; reduced -16384 to 16384
// Value      scale · (code - zero_point)
// Precision  scale / 2 inside of the range
// Special    none; NaN becomes the smallest code, infinities saturate
// Rounding   x / scale in float, to nearest, ties to even; then the zero point is added and the sum saturates
// Packing    two bytes, low one first, two's complement
// ONNX       INT16: QuantizeLinear, DequantizeLinear from opset 21
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeInt16Format() {
  return std::make_unique<NumberFormat>("int16", std::vector<std::string_view>{"QInt16"}, "integer, -32768 to 32767",
                                        LinearSpec{DataType::kInt16});
}

}  // namespace preon
