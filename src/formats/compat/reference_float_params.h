// Scale and zero point of floating types, and of float16 models, as the reference tool computes them.
#pragma once

#include "base/data_type.h"
#include "formats/compat/reference_params.h"

namespace preon::compat {

struct FloatParams {
  float scale = 1;
  float zero_point = 0;  ///< may be infinite where nobody reads it (block formats)
};

/// Codes of float16 and bfloat16; kUndefined stands for block formats, whose operators ignore the result. With `scaled`
/// (ActivationScaled, WeightScaled) the range covers the type's values, of bfloat16 -2 to 2; without, the scale is 1.
/// @param range  no NaN; infinite bounds count as half of the largest float
/// Source: spec formats §5.3.
FloatParams FloatParamsOf(Range range, DataType type, bool symmetric, bool scaled);

/// Integer codes in a model of float16: the width of the range and the scale are float16 values, and a scale that would
/// be denormal is 1 (spec formats §2.2, step 5).
Params HalfParamsOf(Range range, const IntFormat& format);

}  // namespace preon::compat
