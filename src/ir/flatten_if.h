// Branches of If nodes, moved into the graph around them; ir/write_nodes.h puts them back.
#pragma once

#include <onnx/onnx_pb.h>

#include <vector>

namespace preon {

/// What became of one node.
struct FlatNode {
  int if_node = -1;      ///< index of the If in whose branch it was, -1 = in none
  size_t branch = 0;     ///< index into kIfBranches
  bool flat_if = false;  ///< an If whose branches are in the list now
};

/// Moves nodes, initializers and value infos of all plain branches in front of their If, which then reads
/// [condition, outputs of then…, outputs of else…]; its branch attributes keep name, doc string and metadata. A local
/// name that something else has too becomes `name_1`, …. An If stays as it is when a branch has inputs, another number
/// of outputs than the node, outputs that are no tensors, or sparse initializers, and so does what Loop, Scan and
/// other operators hold. Returns one entry per node of `graph`.
std::vector<FlatNode> FlattenIfs(onnx::GraphProto* graph);

}  // namespace preon
