// A float16 model that computes in float32. Comes before what rewrites are compared with, as float16's own rounding
// would hide what they do.
#pragma once

#include "passes/pass.h"

namespace preon {

/// What a graph's inputs and outputs of type float16 become.
enum class Float16Border {
  kKept,     ///< they stay, with a Cast behind each input and in front of each output
  kFloat32,  ///< float32, under the same names
};

/// Float16 tensors become float32: constants, what nodes compute, attributes that name a type, sub-graphs. Unchanged
/// where none but casts inside have the type: those may be meant as rounding. Types must be inferred. Errors:
/// kModelTypeUnsupported for what can't be converted; the model is then unchanged.
Result<Effect> ConvertFloat16(Model& model, Float16Border border);

}  // namespace preon
