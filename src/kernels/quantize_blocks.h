// Values to the next ones that a block format has, vectorized, with a scalar reference that gives codes too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "kernels/block_grid.h"

namespace preon {

/// Blocks along contiguous memory: [0, block_size), [block_size, 2·block_size) …; the last may have fewer elements,
/// which is the same as zeros behind them. `out` may be `x`.
void QuantizeBlocks(const BlockGrid& grid, const float* x, size_t count, float* out);

/// Neighbouring blocks across memory: element `row` of block `column` is x[row * stride + column], rows <= block_size.
/// `out` may be `x`.
void QuantizeBlockColumns(const BlockGrid& grid, const float* x, size_t rows, size_t columns, size_t stride,
                          float* out);

namespace reference {

void QuantizeBlocks(const BlockGrid& grid, const float* x, size_t count, float* out);
void QuantizeBlockColumns(const BlockGrid& grid, const float* x, size_t rows, size_t columns, size_t stride,
                          float* out);

/// What elements of a block are multiples of: 2^exponent (fixed point: 2^(exponent - shift) of a sub-block).
/// nullopt: the block is NaN.
std::optional<int> BlockExponent(const BlockGrid& grid, const float* x, size_t rows, size_t stride);
/// How often the step of the sub-block that these rows are is halved, in a block of this exponent.
int SubBlockShift(const BlockGrid& grid, int exponent, const float* x, size_t rows, size_t stride);

/// A finite x in units of the scale, rounded: fixed point a whole number of steps of 2^(exponent - shift -
/// (magnitude_bits - 1)), floating a value of `element`.
double RoundedElement(const BlockGrid& grid, int exponent, int shift, float x);
/// The value of that many units.
float ElementValue(const BlockGrid& grid, int exponent, int shift, double units);

}  // namespace reference
}  // namespace preon
