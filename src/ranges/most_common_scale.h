// MostCommonScale: power-of-two scales by a vote of the samples (Quark's MinMSEModePof2Scale=MostCommon).
#pragma once

#include <memory>

#include "formats/int_format.h"
#include "ranges/range_collector.h"

namespace preon {

/// Each sample votes for the power-of-two scale that quantizes its own values with the smallest square error; a tie
/// goes to the smaller scale, whose codes then make the range: all that they represent. Samples of zeros alone do not
/// vote; if none does, the range is [0, 0]. Errors: kConflictingOptions for a format that is not symmetric, where zero
/// points differ from sample to sample.
Result<std::unique_ptr<RangeCollector>> CollectMostCommonScale(const IntFormat& format);

}  // namespace preon
