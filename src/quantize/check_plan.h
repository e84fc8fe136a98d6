// Is every tensor of a plan one that can be written?
#pragma once

#include "base/status.h"

namespace preon {

struct QuantPlan;

/// Type, scale type, granularity and symmetry exist together, and scale and zero point that somebody gave are of the type.
/// Errors: kFormatCombination, kBadConfig, with the tensor.
Status CheckPlan(const QuantPlan& plan);

}  // namespace preon
