// Block formats as an ONNX element type with a scale per block: constants in few bytes that a standard DequantizeLinear
// (opset 21, `axis`, `block_size`) turns into the codec's values.
//
// | format                                  | codes        | scale of a block with the exponent e          |
// |-----------------------------------------|--------------|-----------------------------------------------|
// | bfp16, mxint8                           | int8         | 2^(e - 6)                                     |
// | mx4, mx6, mx9                           | int4, 8, 16  | 2^(e - magnitude_bits): codes where a sub-    |
// |                                         |              | block is not shifted are doubled              |
// | mxfp4, mxfp6 (2), mxfp8 e4m3; mxfp8 e5m2 | float8e4m3fn; float8e5m2 | that of the format, 2^k              |
//
// Other sizes and widths likewise, in the smallest integer type that takes them.
#pragma once

#include "base/tensor.h"
#include "formats/block_spec.h"

namespace preon {

struct LinearBlocks {
  Tensor codes;   ///< in the shape of the values
  Tensor scales;  ///< float, ceil(D / block_size) for the axis of D; a scalar where block_size is 0
  int64_t axis = 0,
          block_size = 0;  ///< the node's attributes, axis >= 0; block_size 0: one block of a tensor of rank 0 or 1
};

/// The type of a spec's codes. Errors: kFormatCombination where no type of DequantizeLinear takes them in 16 bits.
Result<DataType> LinearBlockType(const BlockSpec& spec);

/// DequantizeLinear of the result is QuantizeDequantize of the values, but for -0 in integers and for tensors of one
/// element with kCompat, which are rounded.
/// @param values  float
/// Errors:   as LinearBlockType; kFormatAxis; kNotRepresentable for NaN and infinities.
/// Cost:     as Encode.
Result<LinearBlocks> AsLinearBlocks(const BlockSpec& spec, const Tensor& values, int64_t axis);

}  // namespace preon
