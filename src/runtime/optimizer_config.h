// Inside runtime/: how a session is opened that only optimizes a model and writes it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace preon {

/// Whether an optimized model's weights can lie in a file beside it, where they are mapped instead of parsed, copied
/// and hashed. (With sub-graphs the runtime 1.30 writes some of them twice, and then refuses the file.)
bool PutWeightsBeside(const Graph& graph);

/// The runtime's session options.
std::vector<std::pair<std::string, std::string>> OptimizerConfig(bool weights_beside);

}  // namespace preon
