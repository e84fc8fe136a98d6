// SameGraph: whether rewrites have left a graph as it was.
#pragma once

#include "ir/graph.h"

namespace preon {

/// True when both have the same inputs, outputs, nodes in the same order and constants; names of nodes, inferred facts
/// and documentation don't count. Constants are the same when they share their bytes, as those of a copied graph do.
bool SameGraph(const Graph& a, const Graph& b);

}  // namespace preon
