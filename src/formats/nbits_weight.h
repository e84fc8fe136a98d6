// Weights of com.microsoft::MatMulNBits: n-bit codes in blocks along K, packed.
#pragma once

#include <cstdint>
#include <optional>

#include "base/parallel.h"
#include "base/status.h"
#include "base/tensor.h"

namespace preon {

struct NBitsOptions {
  int bits = 4;               ///< 2, 4, 8
  int64_t block_size = 32;    ///< weights along K that share a scale: 16, 32, 64, 128, 256
  bool symmetric = true;      ///< zero point fixed to 2^(bits-1), none stored
  bool least_squares = true;  ///< else the block's extremes, ONNX Runtime's and Quark's DEFAULT, bit for bit
};

bool IsNBitsBlockSize(int64_t size);

/// Inputs 1 to 3 of MatMulNBits. blocks = ceil(K / block_size).
struct NBitsWeight {
  Tensor codes;                       ///< uint8 [N, blocks, block_size * bits / 8], lowest bits first, zeros beyond K
  Tensor scales;                      ///< float [N * blocks]
  std::optional<Tensor> zero_points;  ///< uint8 [N * ceil(blocks * bits / 8)], each row of its own
};

/// Encodes `weight`, float [K, N].
/// Errors: kQuantizeFailed for other types and ranks, bits, block sizes, and values that are not finite.
/// Source: MatMulNBits (com.microsoft) for the layout of codes, scales and zero points.
Result<NBitsWeight> EncodeNBits(const Tensor& weight, const NBitsOptions& options,
                                const ParallelFor& parallel_for = {});

}  // namespace preon
