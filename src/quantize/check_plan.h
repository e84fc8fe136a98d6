// Is every tensor of a plan one that can be written?
#pragma once

#include "quantize/plan.h"

namespace preon {

/// Is the zero point a code of the type? Errors: kBadConfig.
Status CheckZeroPoint(const QuantParams& params, DataType type);

/// Type, scale type, granularity and symmetry exist together, and scale and zero point that somebody gave are of the type.
/// Errors: kFormatCombination, kBadConfig, with the tensor.
Status CheckPlan(const QuantPlan& plan);

}  // namespace preon
