// Nodes that only move values: where the channels of a tensor are behind them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace preon {

/// True for Transpose, Reshape, Flatten, Squeeze, Unsqueeze and Pad: each element of output 0 is one of input 0, or one
/// that Pad adds.
bool IsMove(const Node& node);

/// Dimension k of the Transpose's output is dimension perm[k] of its input. Nullopt: no permutation, or the default one
/// of an unknown rank.
std::optional<std::vector<int64_t>> PermOf(const Graph& graph, const Node& transpose);
/// A Pad that adds zeros.
bool PadsWithZero(const Graph& graph, const Node& pad);

/// A tensor of `rank` dimensions, of which `axis` counts channels; none: values of different channels are mixed.
struct Moved {
  size_t rank = 0;
  std::optional<size_t> axis;
  bool adds_zeros = false;  ///< beside values of the channels there are zeros
};

/// The output of a node that IsMove, for such an input. Nullopt: ranks or pads are unknown, or a Pad adds other values.
std::optional<Moved> MoveChannels(const Graph& graph, const Node& node, const Moved& input);

}  // namespace preon
