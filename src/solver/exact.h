// The best of all codes, where inputs are few: depthwise convolutions.
#pragma once

#include "solver/sweep.h"

namespace preon {

/// A depthwise convolution of 3 x 3 and its bias.
constexpr size_t kMaxExactInputs = 10;

/// The panel's codes become the best that are allowed. Depth first, nearest codes first, and no further where what is
/// decided already costs more than the best so far. Source: Schnorr and Euchner 1994, "Lattice basis reduction",
/// section 5. Where inputs are so alike that there is no end of combinations, the best of the first.
void SearchAll(const SweepOrder& order, CodePanel& panel);

}  // namespace preon
