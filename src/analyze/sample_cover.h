// SampleCover: few samples that reach as far as all of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analyze/sample_extents.h"

namespace preon {

struct SampleCover {
  std::vector<size_t> samples;  ///< ascending
  size_t extremes = 0;          ///< ends of ranges that had to be reached
};

/// Samples whose range misses each end of every tensor's range by at most `tolerance` of the range's length. Greedy:
/// the sample that reaches most ends not yet reached, the earlier one of two that reach as many, until all are; then
/// those go, from the last, without which all are still reached. Not always the fewest (that is a set cover), at most
/// 1 + ln(ends) times as many. At least one sample, so that there is something to run.
/// Cost: ends times samples, in time and memory.
SampleCover CoverExtremes(std::span<const SampleExtents> tensors, double tolerance);

}  // namespace preon
