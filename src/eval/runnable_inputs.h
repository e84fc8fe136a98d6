// Shapes of random samples for a model that does not say which it takes.
#pragma once

#include <functional>
#include <vector>

#include "base/context.h"
#include "base/status.h"
#include "base/tensor_spec.h"
#include "data/data_source.h"
#include "runtime/session.h"

namespace preon {

/// Whether any of them has open dimensions that samples are to choose: not the first, which counts samples, nor those
/// of a state, which may be the batch and are 1.
bool HaveOpenSizes(const std::vector<TensorSpec>& inputs);

using FirstBatchOf = std::function<Result<Batch>(const std::vector<TensorSpec>&)>;

/// `inputs` as they are where `session` runs the first batch of them; else with sizes for their open dimensions that
/// were found by trying: sides of pictures, lengths of sequences and of sound, the same for all of them. What was found
/// is logged as a warning. Where nothing runs, `inputs` as they are: whoever runs them next has the error. Errors:
/// those of `first`, kCancelled.
Result<std::vector<TensorSpec>> FindRunnableInputs(Session& session, const std::vector<TensorSpec>& inputs,
                                                   const FirstBatchOf& first, const RunContext& context);

}  // namespace preon
