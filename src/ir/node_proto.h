// Nodes and attributes between preon and ONNX.
#pragma once

#include <onnx/onnx_pb.h>

#include <set>
#include <string>

#include "base/status.h"
#include "ir/external_data.h"
#include "ir/graph.h"

namespace preon {

/// Outer-scope tensors that `graph` and the graphs inside it read.
std::set<std::string> CapturesOf(const onnx::GraphProto& graph);

/// The attribute as preon keeps what it does not look into.
OpaqueAttribute MakeOpaque(const onnx::AttributeProto& proto);

/// Sets attributes, doc string, metadata and residue of `node` (of `graph`) from `proto`, which is emptied.
/// Errors: those of TakeTensor.
Status TakeNodeDetails(onnx::NodeProto* proto, ExternalData& external, Graph* graph, Node* node);

void WriteNode(const Node& node, onnx::NodeProto* proto);

}  // namespace preon
