// Dimensions that a model computes with: what Shape, Gather, Slice and Concat make of them, and which are always equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace preon {

/// A dimension of a tensor.
struct Dim {
  std::string tensor;
  size_t axis = 0;
  bool operator==(const Dim&) const = default;
};

/// One element of a tensor of dimensions.
struct DimElement {
  int64_t value = kDynamicDim;  ///< where it is known
  std::optional<Dim> from;      ///< what it is the size of; none: a number
  bool is_known() const { return !from || value != kDynamicDim; }
};

/// The elements of an int64 tensor of rank 0 or 1 that constants, Shape, Gather, Slice, Concat and Unsqueeze make;
/// nullopt: others do.
std::optional<std::vector<DimElement>> DimElementsOf(const Graph& graph, std::string_view tensor);

/// The dimension that this one always equals, as near to the inputs of the graph as operators that keep dimensions
/// lead: two with the same origin are equal in every run.
Dim OriginOf(const Graph& graph, const Dim& dim);

}  // namespace preon
