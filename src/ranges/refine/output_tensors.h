// Tensors from which nothing leads to an operator that sums up: outputs of the model and what they are made of.
#pragma once

#include <set>
#include <string>

#include "ir/graph.h"

namespace preon {

/// Those of `tensors` behind the last operator that sums up (products, averages, sub-graphs, operators of other
/// domains): outputs of the model, and in front of them scores and coordinates that are only decoded, also by the mean
/// of constants that a Softmax weights. No later sum averages the rounding of their peaks.
std::set<std::string> FindOutputTensors(const Graph& graph, const std::set<std::string>& tensors);

}  // namespace preon
