// In double, where scaling by powers of two is exact: the only rounding is the one that is meant.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/quantize_blocks.h"

namespace preon::reference {
namespace {

constexpr int kFloatBias = 127, kNotFinite = 255;

int BiasedExponent(float x) { return static_cast<int>(std::bit_cast<uint32_t>(x) >> 23 & 255); }

int StepExponent(const BlockGrid& grid, int exponent, int shift) {
  return exponent - shift - (grid.magnitude_bits - 1);
}

double UnitsOf(const BlockGrid& grid, int exponent, int shift, float x) {
  return x * WidePowerOfTwo(-(grid.element ? exponent : StepExponent(grid, exponent, shift)));
}

bool OutgrowsItsExponent(const BlockGrid& grid, int exponent, float x) {
  if (BiasedExponent(x) - kFloatBias != exponent) return false;
  const double units = RoundToWhole(UnitsOf(grid, exponent, 0, x), grid.rounding);
  const double limit = WidePowerOfTwo(grid.magnitude_bits);
  return units >= limit || units < -limit;
}

/// Does x, which rounds to zero, have a negative one?
bool ZeroIsNegative(const BlockGrid& grid, int exponent, int shift, float x) {
  if (!std::signbit(x) || grid.zero_sign == ZeroSign::kPositive) return false;
  if (grid.zero_sign == ZeroSign::kOfValue) return true;
  const int units_bits = grid.zero_sign == ZeroSign::kOfScaleQuotient ? grid.magnitude_bits - 1 : 0;
  return static_cast<float>(UnitsOf(grid, exponent, shift, x) * WidePowerOfTwo(-units_bits)) == 0;
}

double RoundedToFloating(const MiniFloat& element, double units) {
  const double magnitude = std::abs(units);
  const int last_place = std::max(ExponentOf(magnitude), element.min_exponent()) - element.mantissa_bits;
  const double rounded = std::nearbyint(magnitude * WidePowerOfTwo(-last_place)) * WidePowerOfTwo(last_place);
  return std::copysign(std::min(rounded, double{element.largest()}), units);
}

void QuantizeBlock(const BlockGrid& grid, const float* x, size_t rows, size_t stride, float* out) {
  const std::optional<int> exponent = BlockExponent(grid, x, rows, stride);
  if (!exponent) {
    for (size_t row = 0; row < rows; ++row) out[row * stride] = std::numeric_limits<float>::quiet_NaN();
    return;
  }
  const size_t step = grid.sub_block_size > 0 ? static_cast<size_t>(grid.sub_block_size) : rows;
  for (size_t row = 0; row < rows; row += step) {
    const size_t end = std::min(row + step, rows);
    const int shift = SubBlockShift(grid, *exponent, x + row * stride, end - row, stride);
    for (size_t i = row * stride; i < end * stride; i += stride) {
      out[i] = std::isfinite(x[i]) ? ElementValue(grid, *exponent, shift, RoundedElement(grid, *exponent, shift, x[i]))
                                   : x[i];
    }
  }
}

}  // namespace

std::optional<int> BlockExponent(const BlockGrid& grid, const float* x, size_t rows, size_t stride) {
  int largest = 0;
  for (size_t row = 0; row < rows; ++row) {
    const int biased = BiasedExponent(x[row * stride]);
    if (biased < kNotFinite) {
      largest = std::max(largest, biased);
    } else if (grid.nan_block) {
      return std::nullopt;
    }
  }
  const int exponent = largest - kFloatBias;
  if (grid.element) return std::max(exponent - grid.element->max_exponent(), grid.min_scale_exponent);
  if (grid.raise_exponent) {
    for (size_t row = 0; row < rows; ++row) {
      if (OutgrowsItsExponent(grid, exponent, x[row * stride])) return exponent + 1;
    }
  }
  return exponent;
}

int SubBlockShift(const BlockGrid& grid, int exponent, const float* x, size_t rows, size_t stride) {
  if (grid.sub_block_size == 0) return 0;
  int largest = 0;
  for (size_t row = 0; row < rows; ++row) largest = std::max(largest, BiasedExponent(x[row * stride]));
  return std::min(exponent - (largest - kFloatBias), grid.max_shift);
}

double RoundedElement(const BlockGrid& grid, int exponent, int shift, float x) {
  const double units = UnitsOf(grid, exponent, shift, x);
  double rounded = 0;
  if (grid.element) {
    rounded = RoundedToFloating(*grid.element, units);
  } else if (!grid.flush_denormals || BiasedExponent(x) != 0) {
    rounded = std::clamp(RoundToWhole(units, grid.rounding), double(grid.q_min), double(grid.q_max));
  }
  if (rounded != 0) return rounded;
  return ZeroIsNegative(grid, exponent, shift, x) ? -0.0 : 0.0;
}

float ElementValue(const BlockGrid& grid, int exponent, int shift, double units) {
  return static_cast<float>(units * WidePowerOfTwo(grid.element ? exponent : StepExponent(grid, exponent, shift)));
}

void QuantizeBlocks(const BlockGrid& grid, const float* x, size_t count, float* out) {
  const auto block_size = static_cast<size_t>(grid.block_size);
  for (size_t begin = 0; begin < count; begin += block_size) {
    QuantizeBlock(grid, x + begin, std::min(block_size, count - begin), 1, out + begin);
  }
}

void QuantizeBlockColumns(const BlockGrid& grid, const float* x, size_t rows, size_t columns, size_t stride,
                          float* out) {
  for (size_t column = 0; column < columns; ++column) QuantizeBlock(grid, x + column, rows, stride, out + column);
}

}  // namespace preon::reference
