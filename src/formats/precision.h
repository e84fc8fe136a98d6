// Which of two types keeps a tensor's values nearer, for tensors that several readers want in different types.
#pragma once

#include <compare>

#include "formats/tensor_type.h"

namespace preon {

/// Ordered: the greater is the more precise. Significant bits of a value of ordinary size come first, then how few
/// values share what scales them: of equal bits an element with an exponent of its own, then a block's, then a
/// tensor's.
///
/// int32, uint32 > int16, uint16 > float16 > bfloat16 > bfp16, mx9, mxint8 > int8, uint8 > mx6 > int4, uint4 …
struct Precision {
  int significant_bits = 0;
  enum class Scaled : uint8_t { kByTensor, kByBlock, kByElement } scaled = Scaled::kByTensor;

  auto operator<=>(const Precision&) const = default;
};

/// Of any type of the registry; signs count as a bit, so that int8 and uint8 are alike.
Precision PrecisionOf(const TensorType& type);

}  // namespace preon
