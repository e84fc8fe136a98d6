// The range of tensors whose peaks are what a model is for: scores of detectors, logits, coordinates.
#pragma once

#include "ranges/range_method.h"

namespace preon {

/// All values that were seen, where steps that wide still lose little: rounding 30 dB and more below the values' mean
/// square. Else `range`. Few of a detector's thousands of scores are high, so that rules of error or of the typical
/// sample cut them off. Errors: as ObservedRange; those of ComputeQuantParams.
Result<Range> FullRangeWhereFine(const TensorSketch& sketch, const Range& range, const RangeQuery& query);

}  // namespace preon
