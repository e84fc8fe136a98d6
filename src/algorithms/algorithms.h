// Makers of all algorithms (algorithms.inc).
#pragma once

#include <memory>

#include "algorithms/algorithm.h"

namespace preon {

#define PREON_ALGORITHM(name) std::unique_ptr<Algorithm> Make##name##Algorithm();
#include "algorithms/algorithms.inc"
#undef PREON_ALGORITHM

/// All, in the order in which they act.
AlgorithmRegistry MakeAlgorithms();

}  // namespace preon
