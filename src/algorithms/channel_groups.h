// Channels of activations that one factor scales together, because the constants of the layers around them make up for
// it: through activation functions, pooling, and the adds of residual blocks.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "ir/graph.h"

namespace preon {

/// Groups have numbers from 1; 0 = a channel that has to stay as it is.
struct ChannelGroups {
  std::map<std::string, std::vector<size_t>> of;  ///< by tensor, of each channel (axis 1); others stay as they are
  size_t count = 0;                               ///< numbers are smaller than this
  /// By group: those of one tensor are of one set, and those of tensors with a group in common.
  std::vector<size_t> sets;

  /// Of the channels of one tensor; 0 where all of them stay as they are.
  size_t SetOf(const std::vector<size_t>& channels) const;
};

/// Layers that are quantized write and read scaled channels (IsScalableLayer). A Clip from 0 to a bound counts as
/// well: who chooses factors has to keep values below the bound.
/// Source: the algebra of cross-layer equalization (Nagel et al. 2019, section 4.1), here for any number of tensors.
ChannelGroups FindChannelGroups(const Graph& graph, const NodeFilter& quantized);

/// Multiplies channels by the factor of their group, in the weights and biases that write and read them.
/// @param factors  by group; that of 0 is 1
/// @return has any constant changed?
bool ScaleChannels(Graph& graph, const ChannelGroups& groups, const std::vector<double>& factors,
                   const NodeFilter& quantized);

}  // namespace preon
