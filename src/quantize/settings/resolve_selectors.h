// From selectors to the nodes of the user's model that they stand for.
#pragma once

#include <set>
#include <string>

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan/plan_options.h"

namespace preon {

/// Fills `nodes` of every selector in the options, and `source_types`. Operator types are left as they are: rewrites
/// may make and take away operators (quantize/settings/layer_selection.h). Errors: kNameNotInModel for a name, pattern
/// or tensor that is not in the model, with the nearest name; kBadConfig for a sub-graph that is not closed, with the
/// tensor that comes from outside, and for what is no regular expression.
Status ResolveSelectors(const Graph& source, PlanOptions* options);

/// All names in the options: CheckNames, inputs and outputs that become NHWC, ResolveSelectors, ResolveOverrides.
/// Errors: kNameNotInModel with the nearest name; those of the four.
Status ResolveNames(const Graph& source, const std::set<std::string>& nhwc_of, PlanOptions* options);

}  // namespace preon
