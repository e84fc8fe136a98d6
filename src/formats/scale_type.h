// ScaleType: which numbers a scale may be, and the map from a real interval to parameters that obey it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/int_format.h"

namespace preon {

enum class ScaleType : uint8_t {
  kFloat32,     ///< any
  kPowerOfTwo,  ///< 2^-pos: a shift in hardware
  kInt16,       ///< M / 2^N: an int16 product and a shift
};

/// float32/power-of-two/int16, "PowerOf2", "ScaleType.Int16"… Errors: kUnknownOption.
Result<ScaleType> ParseScaleType(std::string_view name);
/// The names it takes, in the order of help.
std::vector<std::string> ScaleTypeNames();
std::string_view ScaleTypeName(ScaleType type);

/// A scale of the form multiplier / 2^shift.
struct Int16Scale {
  int32_t multiplier = 1;  ///< 1…32767
  int32_t shift = 0;       ///< 0…15, so that 2^shift fits into uint16
  bool operator==(const Int16Scale&) const = default;
};

/// The nearest one; of two equally near the smaller shift, then the smaller multiplier. Scales below 2^-15 become
/// 1 / 2^15 and those above 32767 become 32767: far from what was asked for, which a caller may want to tell the user.
/// Quark's Int16Scale also tries shift 16 and falls to 2^-14 outside.
Int16Scale NearestInt16Scale(float scale);

/// Rounds a positive normal scale to what `type` allows: kPowerOfTwo to 2^-pos with pos = round-half-even(-log2 scale),
/// so the result is within a factor of sqrt(2) to either side; kInt16 as NearestInt16Scale.
float RoundScale(float scale, ScaleType type);

/// The smallest scale of the type that RoundScale's neighbourhood has at or above `scale`: where a smaller one would
/// overflow something. kInt16 above 32767: 32767.
float RoundScaleUp(float scale, ScaleType type);

/// Is it a scale of the type as it stands?
bool IsScaleOf(float scale, ScaleType type);

/// Does the type have a scale near it, at most a rounding away? Only kInt16 may not: below 2^-15 and above 32767.
bool ReachesScale(float scale, ScaleType type);

/// As ComputeQuantParams of a float scale, which is then rounded. The zero point is that of the float scale, as in
/// Quark for types up to 16 bits (which loses digits of 32-bit ones). What is represented moves with the scale:
/// values at the ends of the range saturate where it was rounded down. Errors: kRangeInvalid.
Result<QuantParams> ComputeQuantParams(Range range, const IntFormat& format, ScaleType type);

}  // namespace preon
