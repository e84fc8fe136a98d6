// Elements of any numeric tensor as doubles.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/tensor.h"

namespace preon {

/// All elements in order; empty for types without a number (strings, complex, 8-bit and 4-bit floats).
/// bool gives 0 and 1. Exact except for 64-bit integers beyond 2^53.
std::vector<double> ToDoubles(const Tensor& tensor);

/// Does ToDoubles give elements of this type?
bool HasNumbers(DataType type);

/// ToDoubles of both. Of a type that has no numbers no more is known than which elements are equal: then `a` gives 1
/// each, and `b` 1 where it has the same, bit for bit, else 0. Of one shape, and of one type if one has no numbers.
std::pair<std::vector<double>, std::vector<double>> ComparedValues(const Tensor& a, const Tensor& b);

/// Index of the largest element, the first of several; NaN is none of them. -1 where all are NaN.
int64_t ArgMax(std::span<const double> values);

/// How many elements come before that at `index` in descending order, ties by index, as in a stable sort. NaN
/// is never among the first: its rank is the largest int64_t.
int64_t RankOf(std::span<const double> values, int64_t index);

}  // namespace preon
