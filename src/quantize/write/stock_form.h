// The arithmetic of formats that ONNX has no QuantizeLinear for, in operators of the standard that an unmodified ONNX
// Runtime executes (docs/design/number-formats.md).
//
// Blocks, m magnitude bits or elements with emax, 17 to 23 nodes where D is known:
//
//   Reshape  [.., D, ..] to [.., D / B, B, ..]; Pad before and Slice behind where B does not divide D
//   a      = ReduceMax(Abs(x))                over each block; what follows up to `step` is as small as a
//   step   = d - (d - d·2^-53)                in double, for d = max(a, 2^-127)·(1 + 2^-28)·2^(52 + 1 - m)
//   q      = x / step                         by 1 where a session without denormals has made a step 0
//   y      = Clip(Round(q)) · step            fixed point
//   y      = Clip((q + K) - K) · step         floating elements of M mantissa bits, s = 23 - M,
//                                             K = max(|q|·(2^s - 1), 1.5·2^(emin + s))
//
// `step` is a power of two without logarithms: d lies between two of them, as a has 24 of the 53 bits and the factor
// makes all of them more than a power; so the inner difference is the number in front of d, and the outer one the last
// place of d, 2^-52 of its exponent. (d·(1 - 2^-53) would be a node less, but the runtime drops factors that are 1 as
// floats.) K does the same for elements: adding it leaves q's leading 1 + M bits, or those above 2^(emin - M), and
// rounds ties to even; with 2^s instead of 2^s - 1 the sum would cross into the next binade for q below a power of two.
// tests/differential/stock_form_test.cc holds all of it against the codec.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"
#include "formats/block_spec.h"
#include "formats/int_format.h"
#include "ir/graph.h"

namespace preon {

/// ai.onnx's version that the nodes need: that of ReduceMax and Pad with `axes` as an input.
inline constexpr int64_t kStockFormOpset = 18;

/// Nodes that compute `y`, which nobody writes yet, from the float tensor `x`. Names of nodes, tensors and constants
/// begin with `base`. The nodes go to the end of the graph.
struct RoundTripNames {
  std::string x, y, base;
  std::string suffix = "";  ///< behind the names of a pair
  bool added = false;       ///< named as Quark does it where it adds a pair to one that there is
};

/// y = QuantizeDequantize(spec, axis)(x), with the spec's numerics.
///
/// @param axis  -rank…rank-1; tensors of rank 0 and 1 have one axis, whatever is asked for. Shapes are those that the
///              graph knows: dimensions and ranks that it does not know cost some nodes more.
/// Errors:   kFormatAxis; kNotYetSupported for raise_exponent. The graph is as before then.
/// Numerics: bit for bit on finite values, but for zeros: floating elements, int8, kCompat's ties to even and ties away
///           from zero have +0 only. Infinities make their block NaN; NaN is not looked after. A tensor of one element
///           stays as it is with kCompat where the graph knows that it is one.
Status WriteBlocksInStockForm(Graph& graph, const RoundTripNames& names, const BlockSpec& spec, int64_t axis);

/// y = QuantizeDequantizeTensor(x) for types that the runtime has no QuantizeLinear for that works with all of its
/// optimizations.
///
/// @param type    float16, bfloat16, int32, uint32; with opset 19 float8e4m3fn, float8e5m2
/// @param params  one, or one per index of `axis`; floating types have no zero point
/// @param axis    -1: one for all; else of a tensor whose rank the graph knows
/// Errors:   kFormatAttribute for other types and zero points, kFormatAxis. The graph is as before then.
/// Numerics: bit for bit on finite values, but for -0 where an integer's +0 is.
Status WriteCodesInStockForm(Graph& graph, const RoundTripNames& names, DataType type,
                             std::span<const QuantParams> params, int axis);

}  // namespace preon
