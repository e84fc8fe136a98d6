// Channel scales through depthwise convolutions: every channel of a tensor between a convolution and a depthwise one
// uses all the codes, though the tensor has one scale.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// Tensors t of Conv -> (Relu | Clip) -> t -> depthwise Conv, both integer with a scale per channel, where nobody else
/// reads t or the weights: channel c of t may be divided by a factor if the first convolution's weight and bias are,
/// and the second's weight is multiplied by it. The codes of both weights stay as they are; only their scales change.
/// Source: the algebra of cross-layer equalization (Nagel et al. 2019, section 4.1), where the factor
/// costs nothing.
std::vector<std::string> ScalableTensors(const Graph& graph, const QuantPlan& plan);

}  // namespace preon
