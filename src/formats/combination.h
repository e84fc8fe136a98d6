// Which scales a type can have.
#pragma once

#include "formats/scale_type.h"
#include "formats/tensor_type.h"

namespace preon {

enum class Granularity : uint8_t {
  kPerTensor,  ///< one scale
  kPerAxis,    ///< one per index of an axis
  kPerBlock,   ///< one per block along an axis (opset 21)
};

/// Block formats take what stands for "nothing asked for": float scales per tensor, symmetric.
/// Errors: kFormatCombination, with the reason.
Status CheckCombination(const TensorType& type, ScaleType scale_type, Granularity granularity, bool symmetric);

}  // namespace preon
