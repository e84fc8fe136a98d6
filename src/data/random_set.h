// Random samples, for models without data at hand; only when asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/status.h"
#include "base/tensor_spec.h"
#include "data/data_options.h"
#include "data/sample_set.h"

namespace preon {

/// `count` samples; sample k depends on nothing but `seed`, k and the input's place and shape.
/// Values: those of `values`; else floats of mean 0 and variance 1, |x| < 3.5 (sum of four uniforms); 8-bit types all
/// codes; other integers and bool 0 or 1 (safe as token ids and masks). Symbolic dimensions are 224 for pictures (rank
/// 4, axes 2 and 3), else 32; all are 1 for an input that stacks no rows, where they may be the batch. Errors:
/// kDataUnsupported for other element types; kDataInputName where `values` name an input that is not one of these, or
/// leave one out (of shapes: one that is not fixed); kDataShape for a shape that the input can't have.
Result<std::unique_ptr<SampleSet>> MakeRandomSet(int64_t count, uint64_t seed, std::span<const TensorSpec> inputs,
                                                 int64_t fixed_batch, const RandomValues& values = {});

}  // namespace preon
