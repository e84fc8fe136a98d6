// Picture: a histogram small enough to draw.
#pragma once

#include <vector>

#include "ranges/histogram_math.h"

namespace preon {

/// Shares of the values in equal bins over [low, high]; they sum to 1 where all values are inside.
struct Picture {
  double low = 0, high = 0;
  std::vector<double> shares;
};

/// A bin of the distribution that spans several of the picture's is spread over them evenly. low < high.
Picture Draw(const Distribution& values, double low, double high, size_t bins);

}  // namespace preon
