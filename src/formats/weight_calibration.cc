#include "formats/weight_calibration.h"

#include <algorithm>

#include "formats/axis_view.h"
#include "formats/weight_search.h"

namespace preon {

Result<std::vector<Range>> CalibrateWeight(const Tensor& values, int axis, const IntFormat& format,
                                           ScaleType scale_type, const WeightRule& rule) {
  PREON_ASSIGN_OR_RETURN(std::vector<Range> ranges, WeightRanges(values, axis));
  if (rule.method_for(scale_type) == WeightMethod::kMinMax || values.count() == 0) return ranges;
  if (format.q_max() - format.q_min() > UINT16_MAX) {  // nothing to gain but what the nearest power of two cuts off
    for (Range& range : ranges) {
      if (scale_type != ScaleType::kPowerOfTwo) break;
      PREON_ASSIGN_OR_RETURN(QuantParams params, ComputeQuantParams(range, format));
      params.scale = RoundScaleUp(params.scale, scale_type);
      range = RepresentableRange(params, format);
    }
    return ranges;
  }
  PREON_ASSIGN_OR_RETURN(const AxisView view, ViewAlong(values.shape(), axis));
  const std::span<const float> all = values.floats();
  std::vector<float> channel_values(static_cast<size_t>(view.outer * view.inner));
  for (int64_t channel = 0; channel < view.channels; ++channel) {
    for (int64_t outer = 0; outer < view.outer; ++outer) {
      const auto from = static_cast<size_t>((outer * view.channels + channel) * view.inner);
      std::ranges::copy(all.subspan(from, static_cast<size_t>(view.inner)), &channel_values[outer * view.inner]);
    }
    ranges[channel] =
        LeastErrorRange(channel_values, ranges[channel], format, scale_type, rule.search.value_or(WeightSearch::kAll));
  }
  return ranges;
}

}  // namespace preon
