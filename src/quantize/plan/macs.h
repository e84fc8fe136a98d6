// Work of a node.
#pragma once

#include "ir/graph.h"

namespace preon {

/// Multiply-accumulates of one run of the node for one sample; 0 when not a Conv/MatMul/Gemm-like operator or shapes
/// unknown.
double NodeMacs(const Graph& graph, const Node& node);

bool IsRecurrent(const Node& node);
/// Of a recurrent node (LSTM, GRU, RNN) over its sequence, else 0. Apart from NodeMacs: plans are not made by it.
double RecurrentMacs(const Graph& graph, const Node& node);

}  // namespace preon
