// uint32: integer codes with a scale and a zero point.
//
// Range      0 to 2^32 - 1; symmetric 1 to 2^32 - 1 around 2^31; reduced 0 to 2^31 - 1
// Value      scale · (code - zero_point)
// Precision  scale / 2 inside of the range
// Special    none; NaN becomes the smallest code, infinities saturate
// Rounding   x / scale in float, to nearest, ties to even; then the zero point is added and the sum saturates
// Packing    four bytes, low one first
// ONNX       UINT32: ExtendedQuantizeLinear and ExtendedDequantizeLinear only
//
// Quotients are floats: codes beyond 2^24 steps from the zero point are multiples of powers of two. The difference of
// code and zero point is exact and is rounded to float before the product.
#include "formats/number_formats.h"

namespace preon {

std::unique_ptr<NumberFormat> MakeUInt32Format() {
  return std::make_unique<NumberFormat>("uint32", std::vector<std::string_view>{"QUInt32"}, "integer, 0 to 2^32 - 1",
                                        LinearSpec{DataType::kUInt32});
}

}  // namespace preon
