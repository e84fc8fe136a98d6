#include "formats/compat/numpy_math.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace preon::compat {

std::vector<float> Linspace(float first, float last, size_t bins) {
  std::vector<float> edges(bins + 1);
  const float width = last - first;
  const float step = width / static_cast<float>(bins);
  for (size_t i = 0; i < bins; ++i) {
    // A step that underflows would put all edges into one place.
    const float offset =
        step == 0 ? static_cast<float>(i) / static_cast<float>(bins) * width : static_cast<float>(i) * step;
    edges[i] = offset + first;
  }
  edges[bins] = last;
  return edges;
}

std::vector<double> Arange(float start, float stop, float step) {
  const float length = std::ceil((stop - start) / step);
  std::vector<double> values(length > 0 ? static_cast<size_t>(length) : 0);
  const float next = start + step;
  const double delta = static_cast<double>(next) - static_cast<double>(start);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(start) + static_cast<double>(i) * delta;
  return values;
}

float FloorDivide(float a, float b) {
  const float rest = std::fmod(a, b);
  const float quotient = (a - rest) / b;
  const float floored = std::floor(quotient);
  return quotient - floored > 0.5f ? floored + 1 : floored;
}

float PairwiseSum(std::span<const float> values) {
  constexpr size_t kLanes = 8, kBlock = 128;
  const size_t count = values.size();
  if (count < kLanes) {
    float sum = 0;
    for (const float value : values) sum += value;
    return sum;
  }
  if (count <= kBlock) {
    float r[kLanes];
    std::copy_n(values.begin(), kLanes, r);
    const size_t whole = count - count % kLanes;
    for (size_t i = kLanes; i < whole; i += kLanes) {
      for (size_t lane = 0; lane < kLanes; ++lane) r[lane] += values[i + lane];
    }
    float sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (size_t i = whole; i < count; ++i) sum += values[i];
    return sum;
  }
  size_t half = count / 2;
  half -= half % kLanes;
  return PairwiseSum(values.first(half)) + PairwiseSum(values.subspan(half));
}

float Percentile(std::vector<float> values, double percentile) {
  std::sort(values.begin(), values.end());
  const double rank = percentile / 100 * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(rank);
  const size_t above = std::min(below + 1, values.size() - 1);
  const double share = rank - std::floor(rank);
  const float a = values[below], b = values[above];
  // Of the two equal forms the one that is exact at the nearer end. The share is a double, the difference a float.
  const double difference = b - a;
  return static_cast<float>(share >= 0.5 ? b - difference * (1 - share) : a + difference * share);
}

float RoundToHalf(float value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), -14);
  const float step = std::ldexp(1.0f, exponent - 10);
  const float rounded = std::nearbyint(value / step) * step;
  return std::abs(rounded) > 65504 ? std::copysign(std::numeric_limits<float>::infinity(), value) : rounded;
}

template <typename Edge>
void Count(std::span<const float> values, std::span<const Edge> edges, std::span<int64_t> counts) {
  const auto first = static_cast<double>(edges.front()), last = static_cast<double>(edges.back());
  const double bins_per_unit = static_cast<double>(counts.size()) / (last - first);
  const size_t most = counts.size() - 1;
  for (const float value : values) {
    if (!(value >= edges.front() && value <= edges.back())) continue;
    // All but equally wide, so that the guess is at most a few bins off.
    size_t bin = std::min(static_cast<size_t>((static_cast<double>(value) - first) * bins_per_unit), most);
    while (bin > 0 && value < edges[bin]) --bin;
    while (bin < most && value >= edges[bin + 1]) ++bin;
    ++counts[bin];
  }
}

template void Count(std::span<const float>, std::span<const float>, std::span<int64_t>);
template void Count(std::span<const float>, std::span<const double>, std::span<int64_t>);

}  // namespace preon::compat
