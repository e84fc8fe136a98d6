// Tensors in a block format: quantize-dequantize, and codes.
//
// Tensors are raw row-major floats with a shape. Blocks run along `axis`, -rank…rank-1; tensors of rank 0 and 1 have
// one axis, whatever is asked for. The last block of a line may be short.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/shape.h"
#include "base/status.h"
#include "formats/block_spec.h"

namespace preon {

/// out = the values that the codes of x stand for. `out` may be `x`.
///
/// @param shape  ElementCount(shape) floats in x and out; may be empty
/// Errors:   kFormatAxis.
/// Numerics: with kCompat bit for bit Quark's operators; the same on all instruction sets, for any
///           `parallel`.
/// Cost:     near the speed of memory for blocks of 8, 16, 32 or more than 64, and along any axis but the last; a few
/// ns
///           per element for other sizes; ten times that for magnitudes above 21 bits, raise_exponent, and sub-blocks
///           of blocks above 64. Copies no tensor.
/// Source:   OCP Microscaling Formats v1.0; arXiv 2302.08007; Quark's BFPQuantizeDequantize and MXQuantizeDequantize.
Status QuantizeDequantize(const BlockSpec& spec, std::span<const int64_t> shape, int64_t axis, const float* x,
                          float* out, const ParallelFor& parallel = {});

/// A tensor's codes.
struct BlockCodes {
  static constexpr int16_t kNaN = INT16_MAX;

  /// One per value, in the order of the values; element_bits() wide. BFP and micro-exponents: sign and magnitude;
  /// int8 and raise_exponent: two's complement; floating: sign, exponent, mantissa.
  std::vector<uint32_t> elements;
  /// One per block: the tensor's order with ceil(D/block_size) for the axis of D. The unbiased exponent of the largest
  /// element (BFP, micro) or of the scale (MX); kNaN where the block is NaN.
  std::vector<int16_t> exponents;
  /// One per sub-block, ceil(D/sub_block_size) for D; empty without sub-blocks.
  std::vector<uint8_t> shifts;
  bool operator==(const BlockCodes&) const = default;
};

/// The codes of x. Decode gives what QuantizeDequantize gives, but for -0 in two's complement and for tensors of one
/// element, which Quark's operators leave alone.
/// Errors: kFormatAxis; kNotRepresentable for NaN and infinities with kCompat, whose blocks have no code for them.
Result<BlockCodes> Encode(const BlockSpec& spec, std::span<const int64_t> shape, int64_t axis, const float* x);

/// The values of codes that belong to this shape and axis. Errors: kFormatAxis, kPackedSize.
Status Decode(const BlockSpec& spec, std::span<const int64_t> shape, int64_t axis, const BlockCodes& codes, float* out);

}  // namespace preon
