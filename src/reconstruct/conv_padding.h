// How far the first patch of a convolution begins in front of its input.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace preon {

/// Of each axis of the kernel, for what auto_pad says as for pads (operator Conv of ONNX); what ONNX Runtime computes.
/// @param weight, input, output  known shapes of the convolution's tensors
std::vector<int64_t> PaddingInFront(const Node& conv, const Shape& weight, const Shape& input, const Shape& output);

}  // namespace preon
