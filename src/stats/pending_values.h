// PendingValues: single values of one task on their way into a tensor's OuterValues.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/histogram.h"
#include "stats/outer_values.h"

namespace preon {

/// How often each magnitude was added with either sign. A hash table that grows with the number of magnitudes, so an
/// object to which nothing is added costs nothing.
class PendingValues {
 public:
  /// `bound`: the OuterValues'; magnitudes below it need not be added.
  explicit PendingValues(float bound) { SetBound(bound); }
  float bound() const { return bound_; }
  void SetBound(float bound);

  static constexpr size_t kStep = 512;
  /// Finite values, of which those of the bound and beyond are kept; count <= kStep.
  void Add(const float* x, size_t count);
  /// Time to flush, which raises the bound.
  bool full() const { return used_ > limit_ || added_ > kMaxValues; }
  /// What was added; then empty again.
  OuterValues Take();

 private:
  static constexpr uint32_t kMaxValues = uint32_t{1} << 31;  // keeps the counts of a slot from overflowing
  struct Slot {
    uint32_t bits = 0;        // of the magnitude; 0, which is none here, where free
    uint32_t counts[2] = {};  // positive, negative
  };
  Slot& Find(uint32_t bits);
  /// Keeps at least half of the slots free when `more` magnitudes come.
  void Reserve(size_t more);

  float bound_;
  size_t limit_;
  size_t used_ = 0;
  uint64_t added_ = 0;
  std::vector<Slot> slots_;  // a power of two of them
  float selected_[kStep + kIndexSlack];
};

}  // namespace preon
