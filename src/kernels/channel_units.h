// Values as whole numbers of a fixed unit, so that their sums in double do not depend on the order.
#pragma once

#include <cstddef>

namespace preon {

inline constexpr double kUnitsPerOne = 1 << 20;
/// Larger magnitudes count as this: then 2^14 values add up to less than 2^53 units, and no sum rounds.
inline constexpr float kLargestInUnits = 1 << 18;

/// sums[i] += x[i], finite, rounded to a whole number of units (ties to even).
void AddUnits(const float* x, size_t count, double* sums);

namespace reference {
void AddUnits(const float* x, size_t count, double* sums);
}  // namespace reference

}  // namespace preon
