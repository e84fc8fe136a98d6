// SplitMix64: numbers that look random, by a state that is counted up.
#pragma once

#include <cstdint>

namespace preon {

/// From one number of a sequence to the next; any start is good.
inline constexpr uint64_t kSplitMixStep = 0x9E3779B97F4A7C15U;

/// The number of this state. Source: Steele, Lea, Flood 2014, "Fast Splittable Pseudorandom Number Generators".
constexpr uint64_t SplitMix64(uint64_t state) {
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9U;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EBU;
  return state ^ (state >> 31);
}

}  // namespace preon
