#include "analyze/picture.h"

#include <algorithm>
#include <cmath>

namespace preon {

Picture Draw(const Distribution& values, double low, double high, size_t bins) {
  Picture picture{low, high, std::vector<double>(bins)};
  const double width = (high - low) / static_cast<double>(bins);
  const auto bin_of = [&](double x) {
    return static_cast<size_t>(std::clamp(std::floor((x - low) / width), 0.0, static_cast<double>(bins - 1)));
  };
  for (const auto& bin : values.bins()) {
    const size_t first = bin_of(bin.low), last = bin_of(bin.high);
    if (first == last) {
      picture.shares[first] += bin.count / values.count();
      continue;
    }
    for (size_t at = first; at <= last; ++at) {
      const double from = std::max(bin.low, low + static_cast<double>(at) * width);
      const double to = at == last ? bin.high : low + static_cast<double>(at + 1) * width;
      picture.shares[at] += bin.count / values.count() * std::max(0.0, to - from) / (bin.high - bin.low);
    }
  }
  return picture;
}

}  // namespace preon
