// Values that a graph knows without running.
#pragma once

#include <string>
#include <string_view>

#include "ir/graph.h"

namespace preon {

/// The value of an initializer or of a Constant node; null for other tensors and other forms of Constant.
const Tensor* ConstantValue(const Graph& graph, const std::string& tensor);
/// True for an initializer of type float.
bool IsFloatConstant(const Graph& graph, std::string_view tensor);

}  // namespace preon
