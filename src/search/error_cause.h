// Why codes fit a tensor or a weight badly, in a few words for who reads the report.
#pragma once

#include <string>

#include "base/tensor.h"
#include "formats/int_format.h"
#include "quantize/plan/quant_plan.h"
#include "stats/tensor_sketch.h"

namespace preon {

/// "" where nothing stands out: values that are clipped, few of them far outside of the others, few codes for most of
/// them, channels that are constant. `sketch` has finite values.
std::string CauseOfActivation(const TensorSketch& sketch, const QuantParams& params, const IntFormat& format);

/// "" where nothing stands out: few bits, channels of different size under one scale, single values far outside.
std::string CauseOfWeight(const Tensor& weight, const WeightPlan& plan);

}  // namespace preon
