// The operator library's quantizers to bfloat16, in models of any tool.
#pragma once

#include "ir/graph.h"

namespace preon {

/// ExtendedQuantizeLinear, or as older files call it, with a constant zero point in bfloat16.
bool IsBFloat16Quantizer(const Graph& graph, const Node& node);
bool IsBFloat16Dequantizer(const Graph& graph, const Node& node);

}  // namespace preon
