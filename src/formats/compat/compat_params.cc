#include "formats/compat/compat_params.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

namespace preon::compat {
namespace {

// Where the codes begin, in the rounded scale: floats, which hold 24 bits of it.
int64_t RecomputedZeroPoint(const Params& params, Codes codes) {
  const float distance = static_cast<float>(codes.min) - static_cast<float>(params.zero_point);
  const float low = std::min(distance * params.scale, 0.0f);
  const float steps = low / params.scale;
  const auto zero_point =
      static_cast<int64_t>(std::nearbyint(static_cast<double>(codes.min) - static_cast<double>(steps)));
  // Past the last code of 32 bits it wraps.
  const int64_t largest = codes.min < 0 ? INT32_MAX : UINT32_MAX;
  return zero_point > largest ? zero_point - (int64_t{1} << 32) : zero_point;
}

}  // namespace

Codes CodesOf(const IntFormat& format) {
  IntFormat used = format;
  used.symmetric = format.symmetric && IntFormat{format.type}.q_min() < 0;
  return {used.q_min(), used.q_max()};
}

Params ParamsOf(Range range, Codes codes, bool symmetric, ScaleType scale_type, Compat tool) {
  const float largest = tool == Compat::kQuark ? FLT_MAX / 2 : std::numeric_limits<float>::infinity();
  float low = std::max(std::min(range.min, 0.0f), -largest), high = std::min(std::max(range.max, 0.0f), largest);
  if (symmetric) {
    high = std::max(-low, high);
    low = -high;
  }
  const float width = high - low;
  const double scale = static_cast<double>(width) / static_cast<double>(codes.max - codes.min);
  Params params;
  if (scale >= FLT_MIN) {
    double zero_point = std::nearbyint(static_cast<double>(codes.min) - static_cast<double>(low) / scale);
    if (symmetric && tool == Compat::kOnnxRuntime)
      zero_point = std::nearbyint(static_cast<double>(codes.min + codes.max) / 2);
    // Infinite by infinite is no number; the cast makes it what it is there.
    params = {static_cast<float>(scale), std::isnan(zero_point) ? 0 : static_cast<int64_t>(zero_point)};
  }
  if (scale_type != ScaleType::kFloat32) {
    params.scale = scale_type == ScaleType::kInt16 ? Int16FractionNear(params.scale).scale
                                                   : std::ldexp(1.0f, -PositionOf(params.scale));
    params.zero_point = RecomputedZeroPoint(params, codes);
  }
  if (symmetric && codes.min == 0 && codes.max == 255 && params.zero_point == 127) params.zero_point = 128;
  return params;
}

Params ParamsOf(Range range, const IntFormat& format, ScaleType scale_type, Compat tool) {
  return ParamsOf(range, CodesOf(format), format.symmetric, scale_type, tool);
}

Result<QuantParams> QuantParamsOf(Range range, const IntFormat& format, ScaleType scale_type, Compat tool) {
  const Params params = ParamsOf(range, format, scale_type, tool);
  if (!std::isfinite(params.scale)) {
    return Error(ErrorId::kRangeInvalid, "range [", range.min, ", ", range.max, "]: too wide for ", CompatName(tool),
                 ", whose scale is infinite; wanted a width below ", FLT_MAX);
  }
  return QuantParams{params.scale, params.zero_point};
}

int PositionOf(float scale) {
  return static_cast<int>(std::nearbyint(-std::log2(std::clamp(static_cast<double>(scale), 0x1p-127, 0x1p127))));
}

Int16Fraction Int16FractionNear(float scale) {
  Int16Fraction nearest;
  double smallest = std::numeric_limits<double>::infinity();
  for (int shift = 0; shift <= 16; ++shift) {
    const double wanted = std::ldexp(static_cast<double>(scale), shift);
    if (wanted > 32767) break;
    for (const double multiplier : {std::floor(wanted), std::ceil(wanted)}) {
      const double candidate = std::ldexp(multiplier, -shift);
      if (std::abs(candidate - scale) >= smallest) continue;
      smallest = std::abs(candidate - scale);
      nearest = {static_cast<int64_t>(multiplier), shift,
                 candidate < FLT_MIN ? 0x1p-14f : static_cast<float>(candidate)};
    }
  }
  return nearest;
}

}  // namespace preon::compat
