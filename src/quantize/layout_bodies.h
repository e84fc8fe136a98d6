// Constants in bodies of Loop and Scan (EnableSubgraph of the layouts; docs/design/subgraphs.md).
#pragma once

#include <string>
#include <vector>

#include "quantize/layout_rules.h"

namespace preon {

/// Plans every body of the model's graph, and the bodies in there, into QuantPlan::bodies: weights alone, those that a
/// body reads from the graph right around it included. Nothing observes the activations of a body, so they stay float.
/// With --compat only a warning: the other tools leave bodies alone. Errors: those of PlanLayout.
Status PlanBodies(const Model& model, const PlanOptions& options, const LayoutRules& rules, QuantPlan* plan);

/// Writes them into `model`, which nothing else has been written to yet. Errors: those of ApplyPlan.
Status WriteBodies(Model& model, const std::vector<QuantPlan>& bodies, std::vector<std::string>* warnings);

}  // namespace preon
