// Attributes of nodes, set from outside. Comes before what rewrites are compared with.
#pragma once

#include <vector>

#include "passes/pass.h"

namespace preon {

/// Errors: kNameNotInModel for a node or an attribute that there is not, kBadOptionValue for a value of another type.
/// The graph may then have some of the values.
Result<Effect> ReplaceAttributes(Graph& graph, const std::vector<AttributeUpdate>& updates);

}  // namespace preon
