// The best grid of n-bit codes for a block of weights that share a scale.
#pragma once

#include <cstdint>
#include <span>

namespace preon {

/// real = scale * (code - zero_point), codes 0 … 2^bits - 1. The scale may be negative where the zero point is fixed.
struct NBitsGrid {
  float scale = 0;
  int zero_point = 0;
};

/// Codes of values: nearest, ties to even, saturated. A grid of scale 0 has only zeros.
void CodesOnGrid(std::span<const float> values, const NBitsGrid& grid, int bits, std::span<uint32_t> codes);

/// Sum of squared errors, each times its importance. @param importance  empty: all 1
double GridError(std::span<const float> values, const NBitsGrid& grid, int bits,
                 std::span<const float> importance = {});

/// The grid of the block's extremes, as ONNX Runtime's own n-bit quantizer takes it: symmetric, the value farthest from
/// zero gets code 0, so the scale may be negative; else 0 and both extremes are covered.
NBitsGrid MinMaxGrid(std::span<const float> values, int bits, bool symmetric);

/// The grid of the least squared error. For codes that are given, the best scale is <w, c> / <c, c> and leaves
/// |w|² - <w, c>² / <c, c>; while 1 / scale grows, codes change one by one, at (k + 1/2) / |w|. All roundings that
/// any scale leads to are looked at, for each zero point (kernels/block_scale.h): from grids that use half of the codes
/// to such that cut off what is beyond 0.4 of the extremes. Never worse than MinMaxGrid.
/// @param values      finite, at most 256
/// @param bits        2 to 4; up to 8 the extremes' grid is only scaled by steps of 1 %, to 0.8
/// @param importance  what each squared error counts, as in GridError
NBitsGrid LeastSquaresGrid(std::span<const float> values, int bits, bool symmetric,
                           std::span<const float> importance = {});

}  // namespace preon
