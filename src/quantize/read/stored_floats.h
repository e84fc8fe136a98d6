// Float weights that a quantized model stores as codes behind Cast and Mul (quantize/write/float_weight_writer.h).
#pragma once

#include "ir/graph.h"

namespace preon {

/// Each becomes the float constant that it stands for, under the name that it has in the float model where that is
/// free.
void RestoreFloatWeights(Graph& graph);

}  // namespace preon
