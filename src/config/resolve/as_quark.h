// What Quark makes of types that are set, for --compat quark.
#pragma once

#include "base/status.h"
#include "formats/block_attributes.h"
#include "formats/tensor_type.h"

namespace preon {

/// A BFP16Spec of Quark's writes no attributes: its operator rounds halves as by default, mode 0.
/// @param given  attributes that the user has set
Status LeaveRoundingToOperator(const BlockAttributes& given, TensorType& type);

}  // namespace preon
