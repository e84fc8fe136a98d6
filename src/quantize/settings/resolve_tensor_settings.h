// Settings of single tensors against the model that they are about.
#pragma once

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan/plan_options.h"

namespace preon {

/// Tells all that is wrong at once, before anything is rewritten or observed; axes that count from the end, and single
/// entries for all channels, become what they stand for. The options' selectors are resolved. Errors: kNameNotInModel
/// where tensors or readers are missing and nothing else is wrong; kBadConfig.
Status ResolveOverrides(const Graph& source, PlanOptions* options);

}  // namespace preon
