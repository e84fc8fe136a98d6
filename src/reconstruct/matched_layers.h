// MatchedLayers: layers of a quantized model beside those of the float model that it was written from.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "quantize/write/write_hook.h"
#include "reconstruct/layer_data.h"
#include "reconstruct/reconstruction_rule.h"

namespace preon {

/// The float model that a quantized one was written from; nodes have the same names, or outputs (MatMulNBits).
struct FloatReference {
  const Model& model;
  std::vector<DividedChannels> divided;  ///< channels that the quantized model has divided, with the weights around
};

struct MatchedLayer {
  std::string name;  ///< of the quantized node
  CodedLayer coded;
  FloatLayer in_float;
  const Node* float_node = nullptr;
  LayerTargets targets;
};

/// Layers with codes that `reference` has, too, in the graph's order.
/// @param left_out  gets the names of the others that have codes
std::vector<MatchedLayer> MatchLayers(const Graph& quantized, const FloatReference& reference,
                                      std::vector<std::string>& left_out);

/// Runs the float model up to the first `count` of these layers, and on to the others.
/// @param most_bytes  of what is alive there (LiveRuns::GoOn)
/// Errors: the runtime's.
Status SetTargets(const Model& reference, const RowCount& rows, std::span<MatchedLayer> layers, size_t count,
                  size_t most_bytes, LiveRuns& live);

}  // namespace preon
