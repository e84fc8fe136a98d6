// Rounding: where a value goes that lies between two codes.
#pragma once

#include <cmath>
#include <cstdint>

namespace preon {

/// Always to the nearest; the name says where a tie goes. The numbers are those of the attribute `rounding_mode`.
enum class Rounding : uint8_t {
  kHalfAway = 0,  ///< away from zero: 0.5 -> 1, -0.5 -> -1
  kHalfUp = 1,    ///< towards +infinity: 0.5 -> 1, -0.5 -> -0
  kHalfEven = 2,  ///< to the even neighbour: 0.5 -> 0, 1.5 -> 2
};

namespace reference {

/// The whole number next to x, |x| < 2^52; a zero has the sign of x.
inline double RoundToWhole(double x, Rounding rounding) {
  if (rounding == Rounding::kHalfEven) return std::nearbyint(x);
  const double magnitude = std::abs(x), whole = std::floor(magnitude), rest = magnitude - whole;
  const bool tie_goes_out = rounding == Rounding::kHalfAway || x > 0;
  const bool outwards = tie_goes_out ? rest >= 0.5 : rest > 0.5;
  return std::copysign(whole + (outwards ? 1 : 0), x);
}

}  // namespace reference
}  // namespace preon
