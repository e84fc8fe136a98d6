// PendingCounts: bin indices of one task on their way into a tensor's counts.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/histogram.h"
#include "stats/tensor_histogram.h"

namespace preon {

/// A few indices stay a list; many become dense counts, two 16-bit counters per bin. Only the bins that the data can
/// reach are ever cleared or added, so a small tensor costs next to nothing. Lives on a task's stack (75 KB).
class PendingCounts {
 public:
  /// Values that may be added between two flushes: no counter overflows even if all are equal.
  static constexpr size_t kMaxValues = 65535;

  /// Adds the bulk's indices of what is not zero (see BinIndices).
  /// @param reach  per sign, one past the highest magnitude bin that x can fall into
  void Add(const float* x, size_t count, float inv_width, const size_t (&reach)[2]);
  /// Adds the tail's indices of what is in it (see TailBinIndices).
  void AddTail(const float* x, size_t count, const RunGroups& groups, float inv_width, const size_t (&reach)[2]);
  /// Moves everything into a histogram whose bins are 2^shift times as wide, the bulk weighing `weight`.
  void FlushInto(TensorHistogram& histogram, uint32_t weight, int shift);

 private:
  static constexpr size_t kListLength = 2048;
  static constexpr size_t kStep = 2048;
  void Reach(const size_t (&reach)[2]);
  void ClearReached();
  void CountListed();

  size_t listed_ = 0;
  size_t counted_ = 0;        // values in dense_
  size_t reach_[2] = {0, 0};  // bins that the values may be in, per sign
  // Bins of each part of dense_ up to here count, from the part's first on; the others hold garbage.
  std::array<size_t, kParts> cleared_ = kFirstBins;
  uint16_t list_[kListLength + kStep + kIndexSlack];
  alignas(64) uint16_t dense_[2][kParts * kBinsPerSign];
};

}  // namespace preon
