// The best of all codes, where inputs are few: depthwise convolutions.
#pragma once

#include "solver/sweep.h"

namespace preon {

constexpr size_t kMaxExactInputs = 9;

/// The panel's codes become the best that are allowed. Depth first, nearest codes first, and no further where what is
/// decided already costs more than the best so far. Source: Schnorr and Euchner 1994, "Lattice basis reduction",
/// section 5.
void SearchAll(const SweepOrder& order, CodePanel& panel);

}  // namespace preon
