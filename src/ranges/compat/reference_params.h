// Scale and zero point as the reference computes them (spec options §9.1 to §9.4, defects included).
#pragma once

#include "formats/scale_type.h"

namespace preon::compat {

/// The codes of a type; symmetric unsigned types use all of theirs. Wide enough for uint32.
struct Codes {
  int64_t min, max;
};
Codes CodesOf(const IntFormat& format);

struct Params {
  float scale = 1;
  int64_t zero_point = 0;
};

/// For codes of any type. Bounds beyond half of the largest float count as that. 32-bit zero points lose digits with
/// scales that are rounded, and int16 scales out of reach become 2^-14.
/// @param range  no NaN
Params ParamsOf(Range range, Codes codes, bool symmetric, ScaleType scale_type = ScaleType::kFloat32);
Params ParamsOf(Range range, const IntFormat& format, ScaleType scale_type = ScaleType::kFloat32);

/// -log2 of the power of two nearest to the scale.
int PositionOf(float scale);

}  // namespace preon::compat
