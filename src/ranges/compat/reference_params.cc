#include "ranges/compat/reference_params.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

namespace preon::compat {
namespace {

float Int16ScaleNear(float scale) {
  double nearest = 0, smallest = std::numeric_limits<double>::infinity();
  for (int shift = 0; shift <= 16; ++shift) {
    const double wanted = std::ldexp(static_cast<double>(scale), shift);
    if (wanted > 32767) break;
    for (const double multiplier : {std::floor(wanted), std::ceil(wanted)}) {
      const double candidate = std::ldexp(multiplier, -shift);
      if (std::abs(candidate - scale) >= smallest) continue;
      smallest = std::abs(candidate - scale);
      nearest = candidate;
    }
  }
  return nearest < FLT_MIN ? 0x1p-14f : static_cast<float>(nearest);
}

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

Params ParamsOf(Range range, Codes codes, bool symmetric, ScaleType scale_type) {
  constexpr float kLargest = FLT_MAX / 2;
  float low = std::max(std::min(range.min, 0.0f), -kLargest), high = std::min(std::max(range.max, 0.0f), kLargest);
  if (symmetric) {
    high = std::max(-low, high);
    low = -high;
  }
  const float width = high - low;
  const double scale = static_cast<double>(width) / static_cast<double>(codes.max - codes.min);
  Params params;
  if (scale >= FLT_MIN) {
    const double zero_point = std::nearbyint(static_cast<double>(codes.min) - static_cast<double>(low) / scale);
    params = {static_cast<float>(scale), static_cast<int64_t>(zero_point)};
  }
  if (scale_type != ScaleType::kFloat32) {
    params.scale =
        scale_type == ScaleType::kInt16 ? Int16ScaleNear(params.scale) : std::ldexp(1.0f, -PositionOf(params.scale));
    params.zero_point = RecomputedZeroPoint(params, codes);
  }
  if (symmetric && codes.min == 0 && codes.max == 255 && params.zero_point == 127) params.zero_point = 128;
  return params;
}

Params ParamsOf(Range range, const IntFormat& format, ScaleType scale_type) {
  return ParamsOf(range, CodesOf(format), format.symmetric, scale_type);
}

int PositionOf(float scale) { return static_cast<int>(std::nearbyint(-std::log2(static_cast<double>(scale)))); }

}  // namespace preon::compat
