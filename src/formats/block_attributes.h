// Attributes of block formats as text, by the names that the operators have.
#pragma once

#include <map>
#include <string>

#include "formats/block_spec.h"

namespace preon {

using BlockAttributes = std::map<std::string, std::string>;

/// The spec with some attributes of its operator set: BFPQuantizeDequantize's (kBfp, kMicro) or MXQuantizeDequantize's.
/// Errors: kUnknownOption for names that the operator has not, with the nearest; kBadOptionValue for what is no
/// integer; kFormatAttribute for values out of range.
Result<BlockSpec> WithAttributes(const BlockSpec& spec, const BlockAttributes& attributes);

}  // namespace preon
