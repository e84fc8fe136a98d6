// Channels of a tensor between two layers that are divided by factors, with the weights around them, so that the model
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
};

/// The layer that gives a tensor, itself or through a Relu or Clip; null: no node does.
Node* LayerBefore(const Graph& graph, const std::string& tensor);

/// A weight whose outputs (axis 0) are divided: the layer gives the divided channels.
Tensor WithOutputsDivided(const Tensor& weight, std::span<const float> factors);

/// A convolution's weight that reads the divided channels: of one group, or depthwise.
Tensor WithInputsMultiplied(const Tensor& weight, std::span<const float> factors);

/// Divides channel c of `tensor`, which a Conv gives and another one alone reads, by factors[c]. The weights have no
/// other reader.
void DivideChannels(Graph& graph, const DividedChannels& divided);

}  // namespace preon
