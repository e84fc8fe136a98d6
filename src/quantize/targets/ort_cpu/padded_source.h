// Padding written as Slice and Concat: what is padded.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "ir/graph.h"

namespace preon {

/// The tensor all of which, and of which alone, a tensor consists: by Concat of it and of slices of it, or Pad; ""
/// where there is none, or it is the tensor itself. What quantizes that one serves both: they have the same extremes,
/// and the smaller one is quantized.
/// @param moves  nodes that give elements of their input 0, with zeros at most
std::string PaddedSource(const Graph& graph, const std::string& tensor, const std::function<bool(const Node&)>& moves);

/// Adds the PaddedSource of each tensor: Slice, Concat and Pad then move its codes.
void AddPaddedSources(const Graph& graph, const std::function<bool(const Node&)>& moves,
                      std::set<std::string>& tensors);

}  // namespace preon
