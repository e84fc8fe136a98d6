// SampleExtremes: how the samples' own minima and maxima are distributed. A few samples carry a tensor's extremes; what
// a typical one reaches is often the better range.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "stats/fixed_sum.h"
#include "stats/wire.h"

namespace preon {

/// A finite number of floats by 64ths of an octave, and their exact sum. What was added is counted, 64 values at a
/// time, by Settle: the counts of a tensor are far from the caches whenever it has a new value.
class LogCounts {
 public:
  void Add(float value);
  /// Before everything below.
  void Settle();
  void Merge(const LogCounts& other);
  /// The same number of values, each f of what is known about it: within 1/128 of itself.
  LogCounts Mapped(const std::function<float(double)>& f) const;
  uint64_t total() const { return total_; }
  /// Both 0 for no values.
  double Mean() const;
  /// Within 1/128 of itself.
  double Median() const;
  void Write(WireWriter& out) const;
  static LogCounts Read(WireReader& in);

 private:
  uint64_t& CountOf(int16_t key);

  std::vector<float> waiting_;
  std::vector<std::pair<int16_t, uint64_t>> counts_;  // ascending by value
  uint64_t total_ = 0;
  FixedSum sum_;
};

struct SampleExtremes {
  LogCounts min, max;

  /// Of one sample; nothing where it has no finite value (min > max).
  void Add(float sample_min, float sample_max);
  /// Before everything below, and before reading `min` and `max`.
  void Settle();
  void Merge(const SampleExtremes& other);
  void Write(WireWriter& out) const;
  static SampleExtremes Read(WireReader& in);
};

}  // namespace preon
