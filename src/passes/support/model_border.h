// Inputs and outputs of a model as one list.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"

namespace preon {

std::vector<std::string> BorderTensors(const Graph& graph);  ///< inputs, then outputs

/// An error (E1006) with the nearest name where the tensor is neither input nor output.
Status CheckIsBorderTensor(const Graph& graph, const std::string& tensor);

}  // namespace preon
