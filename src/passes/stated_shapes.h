// Which tensors of a model to be saved have type and shape.
#pragma once

#include "ir/graph.h"

namespace preon {

/// All that can be inferred, or only those that the file states which the model came from.
void SettleShapes(Model& model, bool all);

}  // namespace preon
