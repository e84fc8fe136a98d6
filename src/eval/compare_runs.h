// Two models side by side over the same samples.
#pragma once

#include <functional>
#include <vector>

#include "base/context.h"
#include "data/batch_loop.h"
#include "eval/compare_models.h"
#include "runtime/session.h"

namespace preon {

/// A model's outputs for a batch; asked from as many threads at once as there are batches under way.
using ModelOutputs = std::function<Result<std::vector<NamedTensor>>(const Batch& batch)>;
/// The session's, which outlives them; float inputs may have other types than the batch.
ModelOutputs OutputsOf(Session& session, const RunContext& context);

/// Runs `source` through both models and adds what they give. Errors: those of the source and of the models,
/// kDataEmpty.
Status CompareInto(const ModelOutputs& reference, const ModelOutputs& other, DataSource& source,
                   const BatchLoopOptions& options, const RunContext& context, Comparer& comparer);
/// The same, of this source alone.
Result<Comparison> Compare(const ModelOutputs& reference, const ModelOutputs& other, DataSource& source,
                           const BatchLoopOptions& options, const RunContext& context);

}  // namespace preon
