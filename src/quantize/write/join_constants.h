// Weights that passes copied for roles of their own, and that stayed float.
#pragma once

#include "ir/graph.h"

namespace preon {

/// Float constants of 1 KiB and more with the same values become one. What sub-graphs or graph outputs name keeps its
/// name.
void JoinFloatConstants(Graph& graph);

}  // namespace preon
