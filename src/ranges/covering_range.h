// A range that is still whole once its scale is rounded.
#pragma once

#include "ranges/range_method.h"

namespace preon {

/// `range`, or, where the nearest power of two is below the scale and up to a third of it would saturate, the next one.
/// Errors: those of ComputeQuantParams.
Result<Range> CoveringRange(const Range& range, const RangeQuery& query);

}  // namespace preon
