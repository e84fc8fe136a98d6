// An output that gives a tensor's sum of squares.
#pragma once

#include <string>

#include "ir/graph.h"

namespace preon {

/// Adds the scalar output and gives its name; the tensor is one that a node of the graph writes, float.
std::string AddSumOfSquares(Graph& graph, const std::string& tensor);

}  // namespace preon
