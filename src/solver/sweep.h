// The sweep of GPTQ: inputs get their codes one after the other, and what is left takes up the error so far.
#pragma once

#include <vector>

#include "solver/code_panel.h"

namespace preon {

/// The order in which a sweep goes through the inputs, and the curvature's factor in it.
struct SweepOrder {
  std::vector<size_t> inputs;  ///< from last to first
  Matrix factor;               ///< upper R of Rᵀ · R = curvature with rows and columns in this order
};

/// @param by_curvature  those of largest curvature first (act-order), else as they are
/// An empty factor: the curvature is not positive definite.
SweepOrder MakeSweepOrder(const Matrix& curvature, bool by_curvature);

/// Sets the panel's codes. Source: Frantar et al. 2022, "GPTQ", algorithm 1; in the form of Chen et al. 2025, "The
/// Geometry of LLM Quantization: GPTQ as Babai's Nearest Plane Algorithm", which needs no inverse.
void Sweep(const SweepOrder& order, CodePanel& panel);

}  // namespace preon
