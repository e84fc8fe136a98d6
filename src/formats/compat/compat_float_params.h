// Scale and zero point of floating types, and of float16 models, as Quark computes them.
#pragma once

#include "base/data_type.h"
#include "formats/compat/compat_params.h"

namespace preon::compat {

struct FloatParams {
  float scale = 1;
  float zero_point = 0;  ///< may be infinite where it is not read (block formats)
};

/// Codes of float16 and bfloat16; kUndefined stands for block formats, whose operators ignore the result. With `scaled`
/// (ActivationScaled, WeightScaled) the range covers the type's values, of bfloat16 -2 to 2; without, the scale is 1.
/// @param range  no NaN; infinite bounds count as half of the largest float
/// Source: AMD Quark 0.13.
FloatParams FloatParamsOf(Range range, DataType type, bool symmetric, bool scaled);

/// Integer codes in a model of float16: the width of the range and the scale are float16 values, and a scale that would
/// be denormal is 1.
Params HalfParamsOf(Range range, const IntFormat& format);

}  // namespace preon::compat
