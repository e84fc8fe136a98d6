// uint16: integer codes with a scale and a zero point.
//
// Range      0 to 65535; symmetric 1 to 65535 around 32768; reduced 0 to 32767
// Value      scale · (code - zero_point)
// Precision  scale / 2 inside of the range
// Special    none; NaN becomes the smallest code, infinities saturate
// Rounding   x / scale in float, to nearest, ties to even; then the zero point is added and the sum saturates
// Packing    two bytes, low one first
// ONNX       UINT16: QuantizeLinear, DequantizeLinear from opset 21
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeUInt16Format() {
  return std::make_unique<NumberFormat>("uint16", std::vector<std::string_view>{"QUInt16"}, "integer, 0 to 65535",
                                        LinearSpec{DataType::kUInt16});
}

}  // namespace preon
