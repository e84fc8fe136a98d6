// uint4: integer codes with a scale and a zero point.
//
// Range      0 to 15; symmetric the same; reduced 0 to 7
// Value      scale · (code - zero_point)
// Precision  scale / 2 inside of the range
// Special    none; NaN becomes the smallest code, infinities saturate
// Rounding   x / scale in float, to nearest, ties to even; then the zero point is added and the sum saturates
// Packing    two codes per byte, the first in the low half; an odd last one has 0 above
// ONNX       UINT4: QuantizeLinear, DequantizeLinear from opset 21
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeUInt4Format() {
  return std::make_unique<NumberFormat>("uint4", std::vector<std::string_view>{"QUInt4"}, "integer, 0 to 15",
                                        LinearSpec{DataType::kUInt4});
}

}  // namespace preon
