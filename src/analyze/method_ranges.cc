#include "analyze/method_ranges.h"

#include <algorithm>
#include <cmath>

namespace preon {
namespace {

double MeanSquare(const Distribution& values) {
  double sum = 0;
  for (const auto& bin : values.bins())
    sum += bin.count * (bin.low * bin.low + bin.low * bin.high + bin.high * bin.high) / 3;
  return sum / values.count();
}

}  // namespace

double ShareOutside(const Distribution& values, const Range& range) {
  double outside = 0;
  for (const auto& bin : values.bins()) {
    if (bin.low == bin.high) {
      outside += bin.low < range.min || bin.low > range.max ? bin.count : 0;
      continue;
    }
    const double inside = std::min<double>(bin.high, range.max) - std::max<double>(bin.low, range.min);
    outside += bin.count * (1 - std::clamp(inside / (bin.high - bin.low), 0.0, 1.0));
  }
  return std::min(1.0, outside / values.count());
}

Result<MethodRange> RangeOf(const RangeMethod& method, const TensorSketch& sketch, const Distribution& values,
                            const IntFormat& format) {
  Result<Range> range = method.Choose(sketch, {.format = format});
  if (!range.ok()) return std::move(range).status().WithContext(method.name());
  PREON_ASSIGN_OR_RETURN(const QuantParams params, ComputeQuantParams(*range, format));
  const double square = MeanSquare(values);
  const double error = ExpectedQuantizationError(values, params, format, ErrorMetric::kMeanSquare);
  return MethodRange{.method = std::string(method.name()),
                     .range = *range,
                     .clipped = ShareOutside(values, *range),
                     .error = square > 0 ? std::sqrt(error / square) : 0};
}

}  // namespace preon
