// RoundedTensor: where a quantized model rounds, and how.
#pragma once

#include <string>

#include "base/shape.h"
#include "quantize/read/stored_codes.h"

namespace preon {

/// A tensor that the quantized model rounds.
struct RoundedTensor {
  std::string name;  ///< in the float graph
  bool constant = false;
  StoredCodes codes;  ///< integers of at most 16 bits; `params` is not empty
  int bits = 0;       ///< of a code: 3 where int4 holds nothing else than int3
  Shape shape;        ///< of constants
};

/// Has the type negative codes?
bool IsSigned(const RoundedTensor& tensor);
/// The least of all codes of so many bits.
int64_t LowestCode(const RoundedTensor& tensor);
/// "int8", "uint4", "int3".
std::string CodeTypeName(const RoundedTensor& tensor);

}  // namespace preon
