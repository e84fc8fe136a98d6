// Runs one node on constants, for folding.
#pragma once

#include <vector>

#include "base/context.h"
#include "base/status.h"
#include "base/tensor.h"
#include "ir/graph.h"

namespace preon {

/// Outputs of `node` in its order; one it leaves out ("") is an empty Tensor of kUndefined type.
///
/// @param model   gives opsets, IR version and functions; its graph is not looked at.
/// @param inputs  every tensor that the node reads, those its sub-graphs capture included, by name.
/// Errors: kRuntimeLoad, kRuntimeRun, kModelTypeUnsupported (an output that is no tensor).
Result<std::vector<Tensor>> EvaluateNode(const Model& model, const Node& node, const std::vector<NamedTensor>& inputs,
                                         const RunContext& context);

}  // namespace preon
