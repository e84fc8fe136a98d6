// The nodes of a graph as ONNX has them: those of flat Ifs back in their branches (the way in: ir/flatten_if.h).
#pragma once

#include "ir/graph_proto.h"
#include "ir/value_info_proto.h"

namespace preon {

/// Adds nodes and the facts about what they write to `proto`. A branch output that no node of the branch writes (a
/// tensor or constant from outside, one that is listed twice) gets an Identity. Constants stay outside, where branches
/// see them.
void WriteNodes(const Graph& graph, BranchMode branches, const ValueWriter& values, onnx::GraphProto* proto);

}  // namespace preon
