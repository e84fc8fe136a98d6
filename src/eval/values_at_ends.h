// ValuesAtEnds: how many values of an output stand at an end of its range, where codes cut them off.
#pragma once

#include <cstdint>
#include <span>

namespace preon {

/// The smallest and the largest value, and how many values equal them.
struct ValuesAtEnds {
  double min = 0, max = 0;
  int64_t at_min = 0, at_max = 0, all = 0;
  void Add(std::span<const double> values);
};

/// Of `other`'s values at one end, where they are many there and `exact`'s few; else 0.
double SaturatedShare(const ValuesAtEnds& exact, const ValuesAtEnds& other);

}  // namespace preon
