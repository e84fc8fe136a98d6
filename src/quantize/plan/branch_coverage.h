// What calibration data reach: of an If they may take one branch only, and nothing is known about the other.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// One float tensor for each branch with integer nodes in which the plan observes nothing: a range from outside may be
/// all that its nodes need, but does not tell whether the branch ran. For QuantPlan::branch_probes.
std::set<std::string> FindBranchProbes(const Graph& graph, const QuantPlan& plan);

/// What no calibration sample reaches.
struct NotReached {
  std::set<std::string> nodes;      ///< by name
  std::vector<std::string> places;  ///< for messages: "then_branch of if_3", "tensor 'relu_7'"
};

/// Nodes of branches in which no observed tensor ever had a value, and those that write or read such a tensor.
/// @param observed  what was observed in the graph; `empty` is the part of it that never had a value.
NotReached FindNotReached(const Graph& graph, const std::vector<std::string>& observed,
                          const std::set<std::string>& empty);

}  // namespace preon
