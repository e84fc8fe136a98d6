// Which tensors between two operators have no pair, because runtimes compute both operators in one kernel.
#pragma once

#include <set>
#include <string>

#include "ir/graph.h"
#include "quantize/plan/op_list_options.h"

namespace preon {

/// Tensors without a pair: outputs of kernels that one activation function reads (RemoveQDQConvRelu, …), those of Pad
/// in front of average pools, and those between the operators of `removed.between` (RemoveQDQBetweenOps).
/// @param clip_attributes  bounds of a Clip count as bounds where they are attributes, too
std::set<std::string> PairlessTensors(const Graph& graph, const RemovedPairs& removed, bool clip_attributes);

}  // namespace preon
