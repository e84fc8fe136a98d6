// HQQ: half-quadratic quantization of a block of weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"

namespace preon {

/// real = scale * (code - zero_point), codes 0 … 2^bits - 1; the zero point is any number.
struct FloatGrid {
  float scale = 1, zero_point = 0;
};

int CodeOnGrid(float x, const FloatGrid& grid, int bits);

/// The scale is that of the block's extremes. The zero point starts at theirs and becomes, up to 20 times, the mean of
/// what codes lack to their weights, less errors so large that they are taken for outliers. That of the least squared
/// error is kept, so the grid is never worse than the first. A block of one value is exact.
/// @param values  finite
/// Source: Badri and Shaji 2023, "Half-Quadratic Quantization of Large Machine Learning Models", equations 3 to 6, with
/// p = 0.7, beta = 10 and kappa = 1.01.
FloatGrid HalfQuadraticGrid(std::span<const float> values, int bits);

/// The grids of a matrix as Quark chooses them: all blocks take the same number of steps, until the mean absolute error
/// of the matrix no longer falls, and keep the zero points of that last step. A block of one value is exact here, too;
/// there it divides by 0.
/// @param values  finite, whole blocks of `block` weights one behind the other
/// Source: Quark 0.13, HQQ of its MatMulNBits quantizer.
std::vector<FloatGrid> QuarkHalfQuadraticGrids(std::span<const float> values, size_t block, int bits,
                                               const ParallelFor& parallel_for = {});

}  // namespace preon
