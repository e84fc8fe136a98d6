// SampleExtremes: how the samples' own minima and maxima are distributed. A few samples carry a tensor's extremes; what
// a typical one reaches is often the better range.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "stats/fixed_sum.h"
#include "stats/wire.h"

namespace preon {

/// A finite number of floats by 64ths of an octave, and their exact sum.
class LogCounts {
 public:
  void Add(float value);
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
  std::map<int16_t, uint64_t> counts_;  // ascending by value
  uint64_t total_ = 0;
  FixedSum sum_;
};

struct SampleExtremes {
  LogCounts min, max;

  /// Of one sample; nothing where it has no finite value (min > max).
  void Add(float sample_min, float sample_max);
  void Merge(const SampleExtremes& other);
  void Write(WireWriter& out) const;
  static SampleExtremes Read(WireReader& in);
};

}  // namespace preon
