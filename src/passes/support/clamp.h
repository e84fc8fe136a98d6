// Relu and Clip seen alike: y = min(max(x, low), high).
#pragma once

#include <cstddef>
#include <optional>

#include "ir/graph.h"

namespace preon {

/// Infinite where there is no bound.
struct ClampBounds {
  float low, high;
};

/// Bounds of a Relu or Clip (attributes or constant inputs), or of a Max or Min with one float constant; nullopt for
/// other nodes, computed bounds and tensors other than float. `low` may exceed `high`: ONNX's Clip then gives `high`.
std::optional<ClampBounds> MatchClamp(const Graph& graph, const Node& node);
/// Index of the input of such a node that is clamped.
size_t ClampedInput(const Graph& graph, const Node& node);

}  // namespace preon
