// Channels of tensors between layers that are divided by factors, with the weights around them, so that the model
// computes the same.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace preon {

/// A tensor whose channels (axis 1) a hook has divided by these factors, in the graph around it, too.
struct DividedChannels {
  std::string tensor;
  std::vector<float> factors;
  std::string writer = {};  ///< the layer that gives it divided; empty: what leads to it was divided before
};

/// A convolution's weight whose outputs (axis 0) are divided: the layer gives the divided channels.
Tensor WithOutputsDivided(const Tensor& weight, std::span<const float> factors);

/// The weight of a layer that reads the divided channels: a Gemm, a Conv of one group or a depthwise one.
Tensor WithInputsMultiplied(const Node& layer, const Tensor& weight, std::span<const float> factors);

}  // namespace preon
