#include "stats/value_counts.h"

#include <algorithm>
#include <cmath>

namespace preon {

float ValueCounts::max_magnitude() const { return finite() == 0 ? 0 : std::max(std::fabs(min), std::fabs(max)); }

void ValueCounts::Add(const RunStats& run, uint64_t run_count) {
  Merge({.count = run_count, .zeros = run.zeros, .nans = run.nans, .infs = run.infs, .min = run.min, .max = run.max});
}

void ValueCounts::Merge(const ValueCounts& other) {
  samples += other.samples;
  count += other.count;
  zeros += other.zeros;
  nans += other.nans;
  infs += other.infs;
  min = std::min(min, other.min);
  max = std::max(max, other.max);
}

void ValueCounts::Write(WireWriter& out) const {
  for (const uint64_t number : {samples, count, zeros, nans, infs}) out.Varint(number);
  out.Float(min);
  out.Float(max);
}

ValueCounts ValueCounts::Read(WireReader& in) {
  ValueCounts counts;
  for (uint64_t* number : {&counts.samples, &counts.count, &counts.zeros, &counts.nans, &counts.infs})
    *number = in.Varint();
  counts.min = in.Float();
  counts.max = in.Float();
  return counts;
}

bool ValueCounts::IsConsistent() const {
  if (zeros > count || nans > count - zeros || infs > count - zeros - nans) return false;
  if (finite() == 0) return min == std::numeric_limits<float>::infinity() && max == -min;
  if (!std::isfinite(min) || !std::isfinite(max) || min > max) return false;
  if (zeros == finite()) return min == 0 && max == 0;
  return !(min == 0 && max == 0) && (zeros == 0 || (min <= 0 && max >= 0));
}

}  // namespace preon
