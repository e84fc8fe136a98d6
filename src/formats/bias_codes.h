// Inside formats/: what encoders of biases share, whatever rule gives the scales.
#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "formats/int_format.h"

namespace preon {

/// Errors: kQuantizeFailed unless there is one weight scale, or one for each of `values`.
Status CheckScaleCount(size_t values, std::span<const QuantParams> weight_params);

/// Int32 codes round-half-even(value / scale), saturated, of finite values; one scale for all, or one each.
EncodedBias CodesAtScales(std::span<const double> values, std::vector<float> scales);

}  // namespace preon
