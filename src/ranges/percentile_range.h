// The interval that Percentile chooses and LayerwisePercentile tries.
#pragma once

#include <algorithm>

#include "formats/int_format.h"
#include "ranges/histogram_math.h"
#include "stats/tensor_sketch.h"

namespace preon {

/// [min, max] of the finite values, widened to contain 0. Errors: kRangeMissing for an empty sketch, kRangeNotFinite
/// where every value was NaN or infinite.
Result<Range> ObservedRange(const TensorSketch& sketch);
/// [-a, a], a the larger end of a range that contains 0.
inline Range Symmetric(const Range& range) {
  const float largest = std::max(-range.min, range.max);
  return {-largest, largest};
}

/// What a typical sample reaches, widened to contain 0, where rounding must not take it beyond `observed`.
Range TypicalRange(const Range& observed, const TypicalExtremes& typical);

/// Keeps `percentile` (0–100) of the values: of |x| when `symmetric` (then cut to what was observed), else half of the
/// rest is left out at either end. Contains 0, within [min, max] widened by 0. Where the
/// values kept are all 0, though others are not, it is the observed range: an interval [0, 0] would drop the tensor.
/// Errors: as ObservedRange.
Result<Range> PercentileRange(const TensorSketch& sketch, double percentile, bool symmetric);

/// The same for those who try several: `observed` is ObservedRange, `values` the distribution of |x| when `symmetric`,
/// else of x.
Range PercentileRange(const Range& observed, const Distribution& values, double percentile, bool symmetric);

}  // namespace preon
