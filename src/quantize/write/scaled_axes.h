// Which constants are weights that codes with a scale per output channel can stand for.
#pragma once

#include <cstddef>
#include <optional>

#include "ir/graph.h"

namespace preon {

/// Axes that have a scale for each index: those from `first` to before `end`.
struct ScaledAxes {
  size_t first = 0, end = 0;
  bool operator==(const ScaledAxes&) const = default;
};

/// Of the weight of this rank that a node reads at this input: the axes along which its outputs lie; none where it
/// reads no weight there.
std::optional<ScaledAxes> ScaledAxesOf(const Node& node, size_t input, size_t rank);

}  // namespace preon
