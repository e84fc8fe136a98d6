// The error of a model of which nothing can be quantized.
#pragma once

#include <cstddef>

#include "base/status.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// kNothingToQuantize, with what the user excluded, for that can be changed, or else the most frequent reasons.
/// @param plan  without anything quantized
/// @param source_nodes  of the model as the user knows it
Status NothingLeft(const QuantPlan& plan, size_t source_nodes, bool quantizes_activations);

/// Of a model that ONNX Runtime's optimizer has saved: that the one before it is wanted, since fused operators have
/// float kernels alone. "" for others.
std::string AdviceForOptimized(const Graph& graph);

}  // namespace preon
