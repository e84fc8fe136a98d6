// BatchNormalization in inference: y = gamma * (x - mean) / sqrt(var + epsilon) + beta, per channel.
#pragma once

#include <optional>

#include "passes/linear_op.h"

namespace preon {

/// scale = gamma / sqrt(var + epsilon), shift = beta - mean * scale, in double. Nullopt unless all four parameters are
/// float constants, the node is in inference mode with one output, and (opset < 9) it works per channel.
/// Source: ONNX BatchNormalization (opset 15), epsilon 1e-5 where the attribute is missing.
std::optional<ChannelAffine> MatchBatchNorm(const Graph& graph, const Node& node);

}  // namespace preon
