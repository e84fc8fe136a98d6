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
/// Of an Einsum, as one loop over all its indices, else 0; an equation with an ellipsis is not counted. Apart from
/// NodeMacs for the same reason.
double EinsumMacs(const Graph& graph, const Node& node);

}  // namespace preon
