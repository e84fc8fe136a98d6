// How weights of float nodes are stored: in 8 bits where that costs the outputs nothing.
#pragma once

#include <optional>

#include "base/status.h"
#include "pipeline/prepare_model.h"
#include "search/trial.h"

namespace preon {

/// What weights of float nodes may become so that the result is as near to float as with float16: int8 for as many of
/// them as can be; none where that saves hardly anything. (docs/design/float-weights.md)
/// @param before  of the plan
/// Errors: those of the runtime, kCancelled.
Result<std::optional<FloatWeights>> ChooseFloatWeights(const PlannedModel& planned, Trials& trials,
                                                       const TrialError& before);

}  // namespace preon
