// Clips in front of 4-bit codes.
#pragma once

#include "ir/graph.h"

namespace preon {

/// A Clip that a QuantizeLinear with 4-bit codes reads becomes Max and Min: ONNX Runtime (1.30) merges Clip into
/// QuantizeLinear at optimization level "basic", knows no zero points of 4 bits there, and does not load the model.
void SpellOutClips(Graph& graph);

}  // namespace preon
