// Ranges of tensors that are read through a function which flattens out: what lies where it is flat needs no codes.
#pragma once

#include "ranges/range_method.h"

namespace preon {

/// `range` with its low end (of a function that is flat on the right too, then its high end) pulled in as far as that
/// lessens the mean square of f(x) - f(x'), x' = dequantize(quantize(x)), by more than histograms can err. In front of
/// x·Sigmoid(x) the values below -6 are all but 0 behind it; codes for them only coarsen the steps of those that count.
/// Ends tried: the range's times 2^(-k/6), k up to 24. Types of more than 12 bits are left alone: their steps are fine
/// enough anyway. Errors: those of ComputeQuantParams.
/// @param f  x·Sigmoid(x), Sigmoid, …: called once per bin and per code of each range tried
Result<Range> ActivationAwareRange(double (*f)(double), bool flat_on_the_right, const TensorSketch& sketch,
                                   const Range& range, const RangeQuery& query);

}  // namespace preon
