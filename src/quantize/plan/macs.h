// Work of a node.
#pragma once

#include "ir/graph.h"

namespace preon {

/// Multiply-accumulates of one run of the node for one sample; 0 when not a Conv/MatMul/Gemm-like operator or shapes
/// unknown.
double NodeMacs(const Graph& graph, const Node& node);

}  // namespace preon
