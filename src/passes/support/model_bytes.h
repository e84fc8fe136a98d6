// How large a model's file is, nearly, without writing it.
#pragma once

#include <cstdint>

#include "ir/graph.h"

namespace preon {

/// What a node takes beside its constants: a name, inputs, outputs.
inline constexpr int64_t kNodeBytes = 64;

/// Constants (initializers and those in attributes) and nodes; without bodies of Loop and Scan, which passes keep.
int64_t ModelBytes(const Graph& graph);

}  // namespace preon
