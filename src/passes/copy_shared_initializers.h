// A constant for each reader (CopySharedInit). Not in the default list: it has arguments, and comes after what merges
// equal constants.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace preon {

/// Each use of a constant by nodes of these types (none: all) but the first use gets a copy, `duplicated<name><k>` from
/// k = 2 on, so that it can have codes of its own. Uses by other nodes and sub-graphs keep the original.
void CopySharedInitializers(Graph& graph, const std::vector<std::string>& op_types);

}  // namespace preon
