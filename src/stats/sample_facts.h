// SampleFacts: what one sample holds of one tensor, for who wants to know every sample by itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "stats/wire.h"

namespace preon {

struct SampleFacts {
  /// Of finite values, never -0; +infinity and -infinity where there is none.
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
  /// 99th percentile of |x|, over the subset of the finite values that a sampled sketch counts (stats/sampling.h).
  float usual_largest = 0;

  bool empty() const { return min > max; }
  void Write(WireWriter& out) const {
    for (const float value : {min, max, usual_largest}) out.Float(value);
  }
  static SampleFacts Read(WireReader& in) {
    SampleFacts facts;
    for (float* value : {&facts.min, &facts.max, &facts.usual_largest}) *value = in.Float();
    return facts;
  }
  static constexpr size_t kWireBytes = 3 * sizeof(float);
  /// Whether the fields can belong together.
  bool IsConsistent() const {
    if (empty()) return min == std::numeric_limits<float>::infinity() && max == -min && IsPlainZero(usual_largest);
    const auto plain = [](float x) { return x != 0 || IsPlainZero(x); };
    return std::isfinite(min) && std::isfinite(max) && min <= max && plain(min) && plain(max) && plain(usual_largest) &&
           usual_largest >= 0 && usual_largest <= std::max(-min, max);
  }

 private:
  static bool IsPlainZero(float x) { return x == 0 && !std::signbit(x); }
};

/// The 99th percentile (nearest rank); 0 of none. Reorders them.
inline float UsualLargest(std::span<float> magnitudes) {
  if (magnitudes.empty()) return 0;
  const size_t rank = (99 * magnitudes.size() + 99) / 100 - 1;
  std::nth_element(magnitudes.begin(), magnitudes.begin() + static_cast<ptrdiff_t>(rank), magnitudes.end());
  return magnitudes[rank];
}

}  // namespace preon
