// SubsetCounts: how many values the subset of a bounded tensor stands for.
#pragma once

#include <cstdint>

#include "stats/wire.h"

namespace preon {

/// Each finite value of the subset weighs its sample rate.
struct SubsetCounts {
  uint64_t count = 0;
  uint64_t zeros = 0;

  void Merge(const SubsetCounts& other) {
    count += other.count;
    zeros += other.zeros;
  }
  void Write(WireWriter& out) const {
    out.Varint(count);
    out.Varint(zeros);
  }
  static SubsetCounts Read(WireReader& in) {
    SubsetCounts counts;
    counts.count = in.Varint();
    counts.zeros = in.Varint();
    return counts;
  }
};

}  // namespace preon
