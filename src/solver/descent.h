// Coordinate descent: one code after the other moves to where the quadratic form is least.
#pragma once

#include "solver/code_panel.h"

namespace preon {

/// Each output from the panel's codes on, until a round through all inputs wins less than a thousandth of the form, or
/// so many rounds. Never makes the form larger, but for rounding. Source: the discrete problem of Nagel et al. 2020,
/// equation 20, whose relaxation AdaRound anneals.
void Descend(const Matrix& curvature, int rounds, CodePanel& panel);

}  // namespace preon
