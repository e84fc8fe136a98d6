// Which samples make the extremes of the tensors.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analyze/sample_extents.h"

namespace preon {

/// Who gave one end of a tensor's range.
struct Driver {
  size_t sample = 0;      ///< the first that reaches it
  size_t reached_by = 1;  ///< how many do: more than one where a clamp ends the values, or a sample came twice
  double without = 0;     ///< the end of the other samples
};

/// None of an end that is 0: it needs no sample.
struct Drivers {
  std::optional<Driver> min, max;
};
Drivers DriversOf(const SampleExtents& extents);

/// What one sample drives, over all tensors.
struct SampleShare {
  size_t sample = 0;
  double extremes = 0;  ///< ends of ranges that it gave; of one that k samples reach, 1/k
  size_t shrinks = 0;   ///< tensors whose range without it would be shorter by more than the tolerance
};

/// Those that drive something, the one with the most extremes first. `tolerance`: share of a range's length.
std::vector<SampleShare> RankSamples(std::span<const SampleExtents> tensors, double tolerance);

}  // namespace preon
