// BinCounts: the counts of one sign's magnitude bins.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/histogram.h"
#include "stats/wire.h"

namespace preon {

/// Counts of bins [base, kBinsPerSign). Memory grows with the highest bin in use: 4 bytes per bin, 8 once 2^32 values
/// were added.
class BinCounts {
 public:
  explicit BinCounts(size_t base = 0) : base_(base) {}

  uint64_t operator[](size_t bin) const {
    if (bin < base_ || bin >= end()) return 0;
    return wide_.empty() ? narrow_[bin - base_] : wide_[bin - base_];
  }
  /// One past the highest bin that may be non-zero.
  size_t end() const { return base_ + (wide_.empty() ? narrow_.size() : wide_.size()); }
  /// Sum of bins [0, end).
  uint64_t Total(size_t end = kBinsPerSign) const;
  /// Bins below `base` are left out.
  void Add(size_t bin, uint64_t count);
  /// Makes room for bins [0, end) and for `added` more values.
  void Reserve(size_t end, uint64_t added);
  /// Add, where the room was reserved.
  void AddReserved(size_t bin, uint64_t count);
  /// The counts from bin `base` on for tight loops that add what was reserved; null once they have 64 bits.
  uint32_t* narrow() { return wide_.empty() ? narrow_.data() : nullptr; }
  /// Adds weight * (a[bin] + b[bin]) to bin >> shift, for bins [0, count). The room was reserved.
  void AddDense(const uint16_t* a, const uint16_t* b, size_t count, uint32_t weight, int shift);
  /// Adds counts of data whose bins are 2^-shift as wide as these.
  void AddAll(const BinCounts& other, int shift);
  /// Bins 2^shift times as wide: bin b goes to b >> shift.
  void Coarsen(int shift);
  void Write(WireWriter& out) const;
  /// Adds what Write wrote; false when it can't have come from there.
  bool Read(WireReader& in);

 private:
  size_t base_;
  uint64_t values_ = 0;           // at least as many as any bin counts
  std::vector<uint32_t> narrow_;  // in use while values_ fits 32 bits
  std::vector<uint64_t> wide_;    // then this one
};

}  // namespace preon
