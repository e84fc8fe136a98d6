// NoOpInput: recognizes nodes that return one of their inputs unchanged.
#pragma once

#include <cstddef>
#include <optional>

#include "ir/graph.h"

namespace preon {

/// Index of the input that output 0 always equals in values, type and shape; nullopt where that is not certain.
std::optional<size_t> NoOpInput(const Graph& graph, const Node& node);

}  // namespace preon
