#include "formats/compat/compat_float_params.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "formats/compat/numpy_math.h"
#include "kernels/mini_float.h"

namespace preon::compat {
namespace {

Range Widened(Range range, bool symmetric, float largest) {
  range = {std::max(std::min(range.min, 0.0f), -largest), std::min(std::max(range.max, 0.0f), largest)};
  if (!symmetric) return range;
  const float magnitude = std::max(-range.min, range.max);
  return {-magnitude, magnitude};
}

float LargestCode(DataType type, bool scaled) {
  if (type == DataType::kFloat16) return kE5M10.largest();
  if (type == DataType::kBFloat16) return scaled ? 2 : kE8M7.largest();
  return 3.4e38f;
}

}  // namespace

FloatParams FloatParamsOf(Range range, DataType type, bool symmetric, bool scaled) {
  const Range widened = Widened(range, symmetric, FLT_MAX / 2);
  const float largest = LargestCode(type, scaled);
  double scale = 1;
  if (scaled) scale = (double{widened.max} - double{widened.min}) / (2 * double{largest});
  if (scale < FLT_MIN) return {};
  FloatParams params{static_cast<float>(scale), 0};
  if (!symmetric) params.zero_point = std::nearbyint(-largest - widened.min / params.scale);
  return params;
}

Params HalfParamsOf(Range range, const IntFormat& format) {
  const Range widened = Widened({RoundToHalf(range.min), RoundToHalf(range.max)}, format.symmetric, kE5M10.largest());
  const Codes codes = CodesOf(format);
  const double scale = RoundToHalf(widened.max - widened.min) / static_cast<double>(codes.max - codes.min);
  if (scale < PowerOfTwo(kE5M10.min_exponent())) return {};
  const auto zero_point = static_cast<int64_t>(std::nearbyint(static_cast<double>(codes.min) - widened.min / scale));
  const bool between = format.symmetric && format.type == DataType::kUInt8 && zero_point == 127;
  return {RoundToHalf(static_cast<float>(scale)), between ? 128 : zero_point};
}

}  // namespace preon::compat
