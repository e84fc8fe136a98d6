// For tests of sketches: data of many kinds, and what a sketch of it must say, by brute force over the values.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "stats/tensor_sketch.h"

namespace preon {

/// Values between whose extremes lie many octaves and of which some are zero, with now and then an outlier.
inline std::vector<float> SketchTestData(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  const float scale = std::ldexp(1.0f, static_cast<int>(random() % 12) - 6);
  const bool relu = random() % 2 == 0;
  std::vector<float> values(count);
  for (float& value : values) {
    value = normal(random) * scale;
    if (random() % 500 == 0) value *= 20;
    if (relu) value = std::max(value, 0.0f);
  }
  return values;
}

/// Counts of a histogram over the same bins as `like`, by the definition of its bins.
inline std::vector<double> BruteForceCounts(const std::vector<float>& values, const Histogram& like) {
  std::vector<double> counts(like.counts.size());
  const auto zero_bin = static_cast<ptrdiff_t>(-like.lower_edge / like.width);
  for (const float value : values) {
    if (value == 0 || !std::isfinite(value)) continue;
    const auto magnitude_bin = static_cast<ptrdiff_t>(std::floor(std::fabs(static_cast<double>(value)) / like.width));
    counts.at(static_cast<size_t>(value > 0 ? zero_bin + magnitude_bin : zero_bin - 1 - magnitude_bin)) += 1;
  }
  return counts;
}

/// Runs the tasks on `threads` threads, last task first.
inline ParallelFor Threads(size_t threads) {
  const auto run = [threads](size_t count, const std::function<void(size_t)>& task) {
    std::vector<std::jthread> pool;
    for (size_t thread = 0; thread < threads; ++thread) {
      pool.emplace_back([&, thread] {
        for (size_t i = thread; i < count; i += threads) task(count - 1 - i);
      });
    }
  };
  return {run, threads};
}

}  // namespace preon
