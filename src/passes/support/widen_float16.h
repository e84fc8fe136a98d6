// Float16 becomes float32 in one constant, one node, one tensor.
#pragma once

#include <string>

#include "base/tensor.h"
#include "ir/graph.h"

namespace preon {

/// The values of a float16 tensor as float32.
Tensor Widened(const Tensor& tensor);
/// Attributes of the node that hold float16 values hold float32 ones, those that name the type name float32.
void WidenAttributes(Node& node);
/// Why the node can't compute in float32 what it computes in float16; "" = it can.
std::string WhyNotWidened(const Graph& graph, const Node& node);

/// The shape stays.
void SetElementType(Graph& graph, const std::string& tensor, DataType type);
/// Facts of a tensor under another name.
void CopyInfo(Graph& graph, const std::string& from, const std::string& to);
/// Behind the producer of `from`, or in front of all nodes.
void AddCast(Graph& graph, const std::string& from, const std::string& to, DataType type, const std::string& name);

}  // namespace preon
