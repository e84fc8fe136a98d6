// SampleExtents that the tests of questions about samples share.
#pragma once

#include <random>
#include <utility>
#include <vector>

#include "analyze/sample_extents.h"

namespace preon::test {

/// One tensor of which sample k reaches from ends[k].first to ends[k].second.
inline SampleExtents ExtentsFrom(const std::vector<std::pair<float, float>>& ends) {
  std::vector<SampleRow> rows;
  for (const auto& [min, max] : ends) rows.push_back({.tensors = {{.min = min, .max = max}}});
  return ExtentsOf(rows, 0);
}

/// Tensors of heavy-tailed ends; some values repeat, some tensors have one side only.
inline std::vector<SampleExtents> RandomExtents(size_t tensors, size_t samples, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<SampleExtents> all;
  for (size_t tensor = 0; tensor < tensors; ++tensor) {
    std::vector<std::pair<float, float>> ends;
    for (size_t sample = 0; sample < samples; ++sample) {
      const auto end = [&] { return 8.0f / static_cast<float>(1 + random() % 13); };
      ends.emplace_back(tensor % 3 == 0 ? 0.0f : -end(), end());
    }
    all.push_back(ExtentsFrom(ends));
  }
  return all;
}

}  // namespace preon::test
