// PendingOffsets: counts and offsets of one task on their way into a tensor's histogram and BinOffsets.
#pragma once

#include <cstdint>
#include <memory>

#include "stats/bin_offsets.h"
#include "stats/tensor_histogram.h"

namespace preon {

/// As PendingCounts, for exact mode: few words stay a list, many become one sum per bin that holds the number of values
/// above the sum of their offsets, so that a value costs one store as it does there.
class PendingOffsets {
 public:
  /// Values that may be added between two flushes: neither half of a sum overflows.
  static constexpr size_t kMaxValues = 65535;

  /// Adds what is not zero. `reach`: per sign, one past the highest magnitude bin that x can fall into.
  void Add(const float* x, size_t count, float inv_width, const size_t (&reach)[2]);
  /// Adds to the bins, which are 2^shift times as wide; then empty again.
  void FlushInto(TensorHistogram& histogram, BinOffsets& offsets, int shift);

 private:
  static constexpr size_t kListLength = 1024;
  static constexpr size_t kStep = 512;
  static constexpr int kCountShift = 36;  // > 16 + kFineBits
  void SumListed();

  size_t listed_ = 0;
  size_t summed_ = 0;           // values in sums_
  size_t reach_[2] = {0, 0};    // bins that the values may be in, per sign
  size_t cleared_[2] = {0, 0};  // bins of sums_ that count; the others hold what was
  uint32_t list_[kListLength + kStep + kIndexSlack];
  std::unique_ptr<uint64_t[]> sums_;  // kBins in turns: equal neighbours would wait for each other's store
};

}  // namespace preon
