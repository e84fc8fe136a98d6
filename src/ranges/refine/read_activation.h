// What stands between a tensor and the rest of the model, where that is one function of each element alone.
#pragma once

#include <optional>
#include <string>

#include "ir/graph.h"

namespace preon {

struct ElementFunction {
  double (*of)(double);
  bool flat_on_the_right;  ///< bounded above; all of them are bounded below
};

/// The function that every reader of the tensor sees it through: Sigmoid, Tanh, HardSwish, Gelu, or x·Sigmoid(x)
/// written as two nodes. Nullopt for graph outputs, tensors that a sub-graph reads, and other readers.
std::optional<ElementFunction> FindReadActivation(const Graph& graph, const std::string& tensor);

}  // namespace preon
