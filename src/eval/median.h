// Median of some measurements.
#pragma once

#include <algorithm>
#include <vector>

namespace preon {

/// The middle one, or the mean of the middle two. There must be one at least.
inline double Median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace preon
