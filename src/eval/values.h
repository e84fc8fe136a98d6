// Elements of any numeric tensor as doubles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/tensor.h"

namespace preon {

/// All elements in order; empty for types without a number (strings, complex, 8-bit and 4-bit floats).
/// bool gives 0 and 1. Exact except for 64-bit integers beyond 2^53.
std::vector<double> ToDoubles(const Tensor& tensor);

/// Index of the largest element, the first of several. There must be one at least.
int64_t ArgMax(std::span<const double> values);

}  // namespace preon
