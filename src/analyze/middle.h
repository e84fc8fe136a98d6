// The middle of some values, which is one of them.
#pragma once

#include <algorithm>
#include <vector>

namespace preon {

/// The middle one, or the larger of the two next to the middle. There must be one at least.
template <typename T>
T Middle(std::vector<T> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace preon
