// Codes of activations in int8 become uint8, or the other way round: all of them, and zero points, move by 128.
#pragma once

#include "ir/graph.h"

namespace preon {

/// Where only DequantizeLinear nodes read the codes, with constant zero points. Constant codes that a node reads as
/// data follow, weights do not. False: there are none.
bool ChangeActivationSigns(Graph& graph, DataType from, DataType to);

}  // namespace preon
