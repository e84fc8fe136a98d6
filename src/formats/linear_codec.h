// Tensors with scales and zero points: real = scale · (code - zero_point), codes of an integer or a small floating
// type. What QuantizeLinear and DequantizeLinear do, and the operators ExtendedQuantizeLinear and
// ExtendedDequantizeLinear.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/data_type.h"
#include "formats/block_spec.h"
#include "formats/param_layout.h"

namespace preon {

struct LinearSpec {
  DataType type = DataType::kInt8;  ///< an integer of 4 to 32 bits, float16, bfloat16, float8e4m3fn, float8e5m2
  /// kCompat: float16 ignores scale and zero point, as in Quark's operators. No other difference.
  Numerics numerics = Numerics::kStrict;
};

/// The format of float16, bfloat16, float8e4m3fn and float8e5m2; nullopt for other types.
std::optional<MiniFloat> MiniFloatOf(DataType type);
/// What QuantizeLinear does beyond the largest value: bfloat16 goes to infinity, the others saturate.
Overflow OverflowOf(DataType type);

/// One for each parameter of the layout. Zero points are codes of the type (integers) or values of it (floating).
struct LinearParams {
  std::span<const float> scales;
  std::span<const double> zero_points;  ///< empty: all 0
};

/// Integers: codes = saturate(round-half-even(x / scale) + zero_point), the quotient in float; NaN gives the smallest.
/// Floating: codes = the value next to float(x / scale) + zero_point, ties to even; NaN stays NaN.
///
/// @param codes  PackedSizeBytes(spec.type, layout.count()) bytes, as ONNX packs them
/// Errors: kFormatAttribute for types without such codes, for numbers of parameters that differ from the layout's, and
///         for zero points that the type has not (float8: any but 0).
/// Source: ONNX QuantizeLinear (opset 25); Quark's ExtendedQuantizeLinear.
Status QuantizeTensor(const LinearSpec& spec, const ParamLayout& layout, const LinearParams& params, const float* x,
                      std::byte* codes);
/// out = float(code - zero_point) · scale, the difference of integers exact. Errors: as QuantizeTensor.
Status DequantizeTensor(const LinearSpec& spec, const ParamLayout& layout, const LinearParams& params,
                        const std::byte* codes, float* out);
/// One after the other. `out` may be `x`. Errors: as QuantizeTensor.
Status QuantizeDequantizeTensor(const LinearSpec& spec, const ParamLayout& layout, const LinearParams& params,
                                const float* x, float* out);

}  // namespace preon
