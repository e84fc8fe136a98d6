// The operator library's quantizers, in models of any tool.
#pragma once

#include <string_view>

#include "ir/graph.h"

namespace preon {

/// "QuantizeLinear" for the library's ExtendedQuantizeLinear and as older files call it, "DequantizeLinear" for the
/// other; "" for other nodes, those of the standard too.
std::string_view LibraryQuantizer(const Node& node);

/// Those with a constant zero point in bfloat16.
bool IsBFloat16Quantizer(const Graph& graph, const Node& node);
bool IsBFloat16Dequantizer(const Graph& graph, const Node& node);

}  // namespace preon
