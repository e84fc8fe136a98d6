// ClipSearch: how much to cut off the observed range so that quantization errs least.
#pragma once

#include "ranges/range_method.h"
#include "ranges/square_error.h"

namespace preon {

/// The range inside `observed` (which contains 0) whose parameters have the smallest SquareError among those searched:
/// ends at observed.min · 2^-a and observed.max · 2^-b, a and b from 0 to 12 (there a histogram over the observed range
/// has a handful of bins left), coarse steps first and then ever finer ones around the best of these. `symmetric`: one
/// clip c of max|x| for both ends, [-c, c] cut to what was observed. For up to 16 bits; above 10 by
/// SquareError::Estimate. Cost: some 600 estimates and 250 errors, 100 and 60 if symmetric or one-sided.
Range SearchClip(const SquareError& error, const Range& observed, const RangeQuery& query, bool symmetric);

}  // namespace preon
