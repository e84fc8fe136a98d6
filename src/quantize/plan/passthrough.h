// Passthrough: outputs of operators that only move values take the range of what these read, instead of being observed
// (Quark's CalibPassthroughOpTypes).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/plan/tensor_override.h"

namespace preon {

/// Errors: kBadOptionValue for an operator that joins several tensors and so has no range to inherit.
Status CheckPassthrough(const std::vector<std::string>& passthrough);

/// @param passthrough  operator types
/// Gives every activation that a passthrough operator writes the range of its source: the nearest tensor up the data
/// input (input 0) that no passthrough operator writes, a graph's input or a constant included. With the same format it
/// shares the source's scale and zero point. Ranges and scales from overrides stay. Warns of operators that do not only
/// move values, whose outputs the source does not bound, and of those that the model has not.
void InheritRanges(const Graph& graph, const std::vector<std::string>& passthrough,
                   const std::map<std::string, TensorOverride>& overrides, QuantPlan* plan);

}  // namespace preon
