// RandomNumbers: the same sequence on every machine, which the standard's distributions do not promise.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/split_mix.h"

namespace preon {

class RandomNumbers {
 public:
  explicit RandomNumbers(uint64_t seed) : state_(seed) {}

  /// From 0 to below 1.
  double Uniform() { return static_cast<double>(SplitMix64(state_ += kSplitMixStep) >> 11) * 0x1p-53; }
  /// From 0 to below `count`.
  int64_t Below(int64_t count) { return static_cast<int64_t>(Uniform() * static_cast<double>(count)); }
  /// Normal, mean 0, deviation 1 (Box and Muller 1958).
  double Normal() {
    const double radius = std::sqrt(-2 * std::log1p(-Uniform()));
    return radius * std::cos(2 * std::numbers::pi * Uniform());
  }

 private:
  uint64_t state_;
};

}  // namespace preon
