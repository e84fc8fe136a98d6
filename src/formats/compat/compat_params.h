// Scale and zero point as Quark and ONNX Runtime compute them, defects included.
#pragma once

#include "formats/compat/compat.h"
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

/// For codes of any type. Symmetric zero points of ONNX Runtime do not depend on the scale, Quark's do
/// (but for uint8). Bounds beyond half of the largest float count as that in Quark; with ONNX Runtime the
/// scale is infinite where the width is. 32-bit zero points lose digits with scales that are rounded, and int16 scales
/// out of reach become 2^-14; ONNX Runtime has float scales only.
/// @param range  no NaN; may be inverted, as it is widened by 0
Params ParamsOf(Range range, Codes codes, bool symmetric, ScaleType scale_type = ScaleType::kFloat32,
                Compat tool = Compat::kQuark);
Params ParamsOf(Range range, const IntFormat& format, ScaleType scale_type = ScaleType::kFloat32,
                Compat tool = Compat::kQuark);
/// The same for a type of the product. Errors: kRangeInvalid where the scale is not finite.
Result<QuantParams> QuantParamsOf(Range range, const IntFormat& format, ScaleType scale_type, Compat tool);

/// -log2 of the power of two nearest to the scale.
int PositionOf(float scale);
/// M / 2^N as Quark finds it, and the scale that becomes of it: 2^-14 where M is 0.
struct Int16Fraction {
  int64_t multiplier = 0, shift = 0;
  float scale = 0x1p-14f;
};
Int16Fraction Int16FractionNear(float scale);

}  // namespace preon::compat
