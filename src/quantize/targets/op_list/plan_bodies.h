// Constants in bodies of Loop and Scan (EnableSubgraph; docs/design/subgraphs.md).
#pragma once

#include <functional>

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

using PlanBody = std::function<Result<QuantPlan>(const Model& body, const PlanOptions& options)>;

/// Plans every body of the model's graph, and the bodies in there, into QuantPlan::bodies: weights alone, those that a
/// body reads from the graph right around it included. Nothing observes the activations of a body, so they stay float.
/// With --compat only a warning: the other tools leave bodies alone. Errors: those of `plan_one`.
Status PlanBodies(const Model& model, const PlanOptions& options, const PlanBody& plan_one, QuantPlan* plan);

}  // namespace preon
