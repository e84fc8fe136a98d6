// ValueCounts: how many values of which kind, and the extremes.
#pragma once

#include <cstdint>
#include <limits>

#include "kernels/run_stats.h"
#include "stats/wire.h"

namespace preon {

struct ValueCounts {
  uint64_t samples = 0;
  uint64_t count = 0;  ///< all elements, zeros, NaN and infinities included
  uint64_t zeros = 0;
  uint64_t nans = 0;
  uint64_t infs = 0;
  /// Of finite values; +infinity and -infinity while there is none. Never -0.
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();

  uint64_t finite() const { return count - nans - infs; }
  float max_magnitude() const;
  void Add(const RunStats& run, uint64_t run_count);
  void Merge(const ValueCounts& other);
  void Write(WireWriter& out) const;
  static ValueCounts Read(WireReader& in);
  /// Whether the fields can belong together.
  bool IsConsistent() const;
};

}  // namespace preon
