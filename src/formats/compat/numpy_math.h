// NumPy's arithmetic where Quark's numbers depend on its last bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace preon::compat {

/// numpy.linspace(first, last, bins + 1) of float32 values: every step rounded to float.
std::vector<float> Linspace(float first, float last, size_t bins);
/// numpy.arange(start, stop, step) of float32 values: doubles, though their number and the second are computed in
/// float.
std::vector<double> Arange(float start, float stop, float step);
/// numpy.floor_divide of float32 values.
float FloorDivide(float a, float b);
/// numpy.sum of contiguous float32 values: pairwise, in blocks of eight lanes.
float PairwiseSum(std::span<const float> values);
/// numpy.percentile of float32 values, sorted here.
float Percentile(std::vector<float> values, double percentile);
/// The value after a round trip through float16.
float RoundToHalf(float value);
/// counts[i] += how many values lie in [edges[i], edges[i+1]), the last edge included, as numpy.histogram counts.
template <typename Edge>
void Count(std::span<const float> values, std::span<const Edge> edges, std::span<int64_t> counts);

}  // namespace preon::compat
