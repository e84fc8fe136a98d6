// BatchNormalization in inference: y = gamma * (x - mean) / sqrt(var + epsilon) + beta, per channel.
#pragma once

#include <optional>

#include "passes/support/arithmetic.h"
#include "passes/support/linear_op.h"

namespace preon {

/// scale = gamma / sqrt(var + epsilon), shift = beta - mean * scale. Nullopt unless all four parameters are
/// float constants, the node is in inference mode with one output, and (opset < 9) it works per channel.
/// Source: ONNX BatchNormalization (opset 15).
std::optional<ChannelAffine> MatchBatchNorm(const Graph& graph, const Node& node, const Arithmetic& arithmetic = {});

/// Turns the node into a Conv of the same name: group = C, kernel 1. False, and nothing done, unless MatchBatchNorm
/// finds its parameters and the rank of its input is known and 3 to 5. Float results agree to rounding.
bool BatchNormToConv(Graph& graph, Node& node, const Arithmetic& arithmetic = {});

}  // namespace preon
