// Ranges of tensors whose readers first apply a function that flattens out: values where it is flat need no codes.
#pragma once

#include "ranges/range_method.h"
#include "ranges/refine/read_activation.h"

namespace preon {

/// `range` with its low end (of a function that is flat on the right too, then its high end) moved towards 0 as far as
/// that lessens the mean square of f(x) - f(x'), x' = dequantize(quantize(x)), by more than histograms can err. In
/// front of x·Sigmoid(x) the values below -6 are all but 0 behind it; codes for them only make the steps of the others
/// larger. Ends tried: the range's times 2^(-k/6), k up to 24. Types of more than 12 bits keep their range: their steps
/// are small enough. Errors: those of ComputeQuantParams.
/// @param activation  not kNone
Result<Range> ActivationAwareRange(ReadActivation activation, const TensorSketch& sketch, const Range& range,
                                   const RangeQuery& query);

}  // namespace preon
