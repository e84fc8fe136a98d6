// Q/DQ pairs across the edges of If branches.
#pragma once

#include "base/status.h"
#include "ir/graph.h"

namespace preon {

/// The runtime fuses only what lies in one graph: a Q must be beside the kernel that writes its input, a DQ beside the
/// one that reads its output. So a Q gets the home of its producer, and a DQ that is read in several branches becomes
/// one per branch. Sorts the graph where it has a flat If. Errors: those of Graph::SortTopologically.
Status PlacePairsInBranches(Graph& graph);

}  // namespace preon
