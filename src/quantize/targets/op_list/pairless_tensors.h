// Which tensors between two operators have no pair, because runtimes compute both operators in one kernel.
#pragma once

#include <set>
#include <string>

#include "ir/graph.h"
#include "quantize/plan/op_list_options.h"

namespace preon {

/// Tensors without a pair: outputs of kernels that one activation function reads (RemoveQDQConvRelu, …), those of Pad
/// in front of average pools, and those between the operators of `removed.between` (RemoveQDQBetweenOps).
/// @param initializers_alone  bounds of a Clip do not count as bounds where they are attributes or Constant nodes
std::set<std::string> PairlessTensors(const Graph& graph, const RemovedPairs& removed, bool initializers_alone);

}  // namespace preon
