// OuterValues: values one by one, where the histogram only knows their bins: all of few, the outermost of many.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "stats/wire.h"

namespace preon {

struct Histogram;
struct ValueCounts;
class TensorHistogram;

/// The distinct |x| of finite values that are not zero, and how often each occurs with either sign: all of them in a
/// tensor that has few (pixels, embeddings, one-hot), else the largest. Whether there are more than kFew is a fact
/// about the set of values; what is among the largest of all is among the largest of any part, so that its counts are
/// complete; and what drops out never comes back. Hence adding and merging commute exactly.
class OuterValues {
 public:
  static constexpr size_t kFew = 4096;   ///< so many are all kept,
  static constexpr size_t kOuter = 256;  ///< and of more than that, so many
  static constexpr float kNoBound = std::numeric_limits<float>::denorm_min();
  struct Entry {
    float magnitude;
    uint64_t positive, negative;
  };

  OuterValues() = default;
  /// Of these entries, in any order, each magnitude once.
  explicit OuterValues(std::vector<Entry> entries);

  void Merge(const OuterValues& other);
  /// Magnitudes below this one change nothing. Grows with the data; kNoBound while all are kept.
  float bound() const { return complete_ ? kNoBound : entries_.back().magnitude; }

  /// Fills in the points.
  void ReadInto(Histogram& histogram) const;
  void Write(WireWriter& out) const;
  /// False when the bytes can't have come from Write on the values that these counts and bins are of.
  bool Parse(WireReader& in, const ValueCounts& counts, const TensorHistogram& histogram);

 private:
  bool FitsExtremes(const ValueCounts& counts) const;
  bool FitsBins(const TensorHistogram& histogram) const;

  std::vector<Entry> entries_;  // largest magnitude first
  bool complete_ = true;
};

}  // namespace preon
