// uint8: integer codes with a scale and a zero point.
//
// Range      0 to 255; symmetric 1 to 255 around 128; reduced 0 to 127
// Value      scale · (code - zero_point)
// Precision  scale / 2 inside of the range
// Special    none; NaN becomes the smallest code, infinities saturate
// Rounding   x / scale in float, to nearest, ties to even; then the zero point is added and the sum saturates
// Packing    a byte
// ONNX       UINT8: QuantizeLinear, DequantizeLinear from opset 10
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeUInt8Format() {
  return std::make_unique<NumberFormat>("uint8", std::vector<std::string_view>{"QUInt8"}, "integer, 0 to 255",
                                        LinearSpec{DataType::kUInt8});
}

}  // namespace preon
