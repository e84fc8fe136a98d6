// Inside runtime/: checks what a caller feeds before the runtime sees it.
#pragma once

#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "base/tensor_spec.h"

namespace preon {

/// The feeds in the order of `inputs`, each of its type and shape.
/// Errors: kDataInputName (missing or unknown), kDataType, kDataShape.
Result<std::vector<const Tensor*>> MatchFeeds(const std::vector<TensorSpec>& inputs,
                                              const std::vector<NamedTensor>& feeds);

}  // namespace preon
