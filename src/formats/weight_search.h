// The search of MinMSE over the values of one weight, or one channel of it.
#pragma once

#include <span>

#include "formats/weight_rule.h"

namespace preon {

/// The candidate of `search` whose codes have the smallest mean square error; `extremes` is always one (kHistCenter:
/// against its best, over the values), and ties go to the earlier. Power-of-two scales have candidates of their own
/// (power_of_two_search.h).
/// @param extremes  of the values
/// @param format    with up to 2^16 codes
Range LeastErrorRange(std::span<const float> values, const Range& extremes, const IntFormat& format,
                      ScaleType scale_type, WeightSearch search);

}  // namespace preon
