// The ranges of a weight, from its values.
#pragma once

#include <vector>

#include "base/tensor.h"
#include "formats/int_format.h"
#include "formats/weight_rule.h"

namespace preon {

/// The range per index of `axis` (axis -1: one) that `rule` gives a float tensor for codes of `format` with scales of
/// `scale_type`; [0, 0] where there are no values. kMinMse with power-of-two scales: the zero point of the extremes and
/// the best of five scales around theirs, BestPowerOfTwoRange (power_of_two_search.h).
/// Errors: kQuantizeFailed on the axis, kRangeNotFinite.
/// Cost: kMinMax one pass; kMinMse about 100 passes (kAll), a sort (kPercentile), or up to 1024 times the bins.
/// Source: Quark's CalibrationMethod.MinMSE with MinMSEModeFloatScale, whose candidates lack the extremes; kAll is
/// ours.
Result<std::vector<Range>> CalibrateWeight(const Tensor& values, int axis, const IntFormat& format,
                                           ScaleType scale_type, const WeightRule& rule);

}  // namespace preon
