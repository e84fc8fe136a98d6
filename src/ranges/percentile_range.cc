#include "ranges/percentile_range.h"

#include <algorithm>

namespace preon {

Result<Range> ObservedRange(const TensorSketch& sketch) {
  if (sketch.count() == 0) {
    return Error(ErrorId::kRangeMissing, "no values were observed; wanted at least one sample that reaches it");
  }
  if (sketch.finite_count() == 0) {
    return Error(ErrorId::kRangeNotFinite, "all ", sketch.count(), " values are NaN or infinite");
  }
  return Range{std::min(sketch.min(), 0.0f), std::max(sketch.max(), 0.0f)};
}

Range TypicalRange(const Range& observed, const TypicalExtremes& typical) {
  return {std::clamp(static_cast<float>(typical.min), observed.min, 0.0f),
          std::clamp(static_cast<float>(typical.max), 0.0f, observed.max)};
}

Result<Range> PercentileRange(const TensorSketch& sketch, double percentile, bool symmetric) {
  PREON_ASSIGN_OR_RETURN(const Range observed, ObservedRange(sketch));
  return PercentileRange(observed, symmetric ? Distribution::Absolute(sketch) : Distribution::Signed(sketch),
                         percentile, symmetric);
}

Range PercentileRange(const Range& observed, const Distribution& values, double percentile, bool symmetric) {
  double low, high;
  if (symmetric) {
    high = values.Quantile(percentile / 100);
    low = -high;
  } else {
    const double left_out = (100 - percentile) / 200;
    low = values.Quantile(left_out);
    high = values.Quantile(1 - left_out);
  }
  const Range range{std::clamp(static_cast<float>(low), observed.min, 0.0f),
                    std::clamp(static_cast<float>(high), 0.0f, observed.max)};
  return range == Range{} ? observed : range;
}

}  // namespace preon
