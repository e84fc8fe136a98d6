// Inside search/: the tensors of 32 bits that a model's outputs are made of.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace preon {

/// The model's outputs; in place of one that a Cast makes of a float, for a model with outputs of 16 bits, that float.
std::vector<std::string> OutputsAsFloats(const Graph& graph);

}  // namespace preon
