// Operators as AMD's DPU has them.
#pragma once

#include "ir/graph.h"

namespace preon {

/// HardSigmoid with a given alpha of 1/6 and beta 0.5: the one that the DPU computes.
bool IsDpuHardSigmoid(const Node& node);

}  // namespace preon
