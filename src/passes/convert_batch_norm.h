// BatchNormalization that nothing can absorb as a depthwise convolution, which has an integer kernel.
#pragma once

#include <functional>

#include "passes/pass.h"

namespace preon {

/// Turns every BatchNormalization with constant parameters and an input of known rank 3 to 5 into a Conv of the same
/// name: group = C, kernel 1. Meant for after fold_batch_norm. Float results agree to rounding. `wanted` chooses among
/// them; all when empty.
Effect ConvertBatchNormToConv(Model& model, std::function<bool(const Graph&, const Node&)> wanted = {});

}  // namespace preon
