// Groups of nodes that may be worth having in float together: between integer and float nodes codes are made and read,
// so neighbours are cheaper together than alone.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace preon {

using NodeGroup = std::set<std::string>;  ///< names

/// The first k of the nodes and the last k, k growing by a fifth at least: front ends and heads.
/// @param nodes  in the order of the graph
std::vector<NodeGroup> EndGroups(const std::vector<std::string>& nodes);

/// The node, and the next ones of `nodes` to either side, with no other of them in between.
NodeGroup GroupAround(const Graph& graph, const NodeGroup& nodes, const std::string& node);

}  // namespace preon
