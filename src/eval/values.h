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

/// Index of the largest element, the first of several; NaN is none of them. -1 where all are NaN.
int64_t ArgMax(std::span<const double> values);

/// How many elements come before that at `index` in descending order, ties by index, as in a stable sort. NaN
/// is never among the first: its rank is the largest int64_t.
int64_t RankOf(std::span<const double> values, int64_t index);

}  // namespace preon
