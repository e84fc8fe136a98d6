// Weights of com.microsoft::MatMulNBits: n-bit codes in blocks along K, packed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/status.h"
#include "base/tensor.h"
#include "formats/int_format.h"
#include "formats/weight_rule.h"

namespace preon {

struct NBitsOptions {
  int bits = 4;             ///< 2, 4, 8
  int64_t block_size = 32;  ///< weights along K that share a scale: 16, 32, 64, 128, 256
  bool symmetric = true;    ///< zero point fixed to 2^(bits-1), none stored; not with kHqq
  /// kMinMax: the block's extremes, ONNX Runtime's and Quark's DEFAULT, bit for bit; kMinMse: the least squared error.
  WeightMethod method = WeightMethod::kMinMse;
  bool hqq_as_quark = false;  ///< QuarkHalfQuadraticGrids, and codes beyond K are those of zeros
};

bool IsNBitsBlockSize(int64_t size);

/// Inputs 1 to 3 of MatMulNBits. blocks = ceil(K / block_size).
struct NBitsWeight {
  Tensor codes;   ///< uint8 [N, blocks, block_size * bits / 8], lowest bits first, zeros beyond K
  Tensor scales;  ///< float [N * blocks]
  /// uint8 [N * ceil(blocks * bits / 8)], each row of its own; kHqq: float [N * blocks].
  std::optional<Tensor> zero_points;
};

/// Encodes `weight`, float [K, N].
/// @param importance  what the squared errors of each of the K rows count for kMinMse, at least 0; empty: all 1
/// Errors: kQuantizeFailed for other types and ranks, bits, block sizes, and values that are not finite.
/// Source: MatMulNBits (com.microsoft) for the layout of codes, scales and zero points.
Result<NBitsWeight> EncodeNBits(const Tensor& weight, const NBitsOptions& options, const ParallelFor& parallel_for = {},
                                std::span<const float> importance = {});

/// NBitsWeight::codes as floats, [K, N].
Tensor UnpackNBitsCodes(const Tensor& codes, int64_t rows, int bits);
/// The other way round. @param codes  floats 0 … 2^bits - 1
Tensor PackNBitsCodes(const Tensor& codes, int64_t block_size, int bits);
/// Scales and zero points, [blocks, N]. @param zero_points  uint8; null: the middle code
std::vector<QuantParams> UnpackNBitsParams(const Tensor& scales, const Tensor* zero_points, int64_t columns, int bits);

}  // namespace preon
