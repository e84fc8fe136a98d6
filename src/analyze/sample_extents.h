// SampleExtents: how far each sample reaches in one tensor; what all questions about samples are asked of.
#pragma once

#include <vector>

#include "analyze/coverage.h"
#include "calib/sample_rows.h"

namespace preon {

struct SampleExtents {
  std::vector<Extent> samples;  ///< one per row, each with 0: min <= 0 <= max
  Extent all;                   ///< of all of them
};

/// @param tensor  its place in a row
inline SampleExtents ExtentsOf(const std::vector<SampleRow>& rows, size_t tensor) {
  SampleExtents extents;
  for (const SampleRow& row : rows) {
    const SampleFacts& facts = row.tensors[tensor];
    Extent& extent = extents.samples.emplace_back();
    if (!facts.empty()) extent.Widen(facts.min, facts.max);
    extents.all.Widen(extent.min, extent.max);
  }
  return extents;
}

}  // namespace preon
