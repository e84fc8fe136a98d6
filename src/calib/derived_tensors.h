// Derived tensors: element-wise functions of another observed tensor, which are not observed themselves.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "stats/scalar_function.h"

namespace preon {

/// Element by element `function` of tensor `source`.
struct DerivedTensor {
  std::string source;
  ScalarFunction function;
  bool operator==(const DerivedTensor&) const = default;
};
using DerivedTensors = std::map<std::string, DerivedTensor>;

/// Those of `tensors` that are a function of another one of them, which is not derived in turn: g(x) and x · g(x) for
/// the gates of ScalarFunction, also as one node (HardSwish). Both are computed in the same branch, so that whatever
/// reaches one reaches the other.
DerivedTensors FindDerived(const Graph& graph, const std::vector<std::string>& tensors);

}  // namespace preon
