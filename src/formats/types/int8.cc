// int8: integer codes with a scale and a zero point.
//
// Range      -128 to 127; symmetric -127 to 127; reduced -64 to 64
// Value      scale · (code - zero_point)
// Precision  scale / 2 inside of the range
// Special    none; NaN becomes the smallest code, infinities saturate
// Rounding   x / scale in float, to nearest, ties to even; then the zero point is added and the sum saturates
// Packing    a byte, two's complement
// ONNX       INT8: QuantizeLinear, DequantizeLinear from opset 10
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeInt8Format() {
  return std::make_unique<NumberFormat>("int8", std::vector<std::string_view>{"QInt8"}, "integer, -128 to 127",
                                        LinearSpec{DataType::kInt8});
}

}  // namespace preon
