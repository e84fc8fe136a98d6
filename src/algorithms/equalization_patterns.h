// Where cross-layer equalization applies: layers in a row between which a channel may be scaled.
#pragma once

#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "ir/graph.h"

namespace preon {

/// Two layers, or three with a depthwise convolution in the middle. What lies between them keeps a positive factor per
/// channel, and nothing else reads what the factors change.
struct EqualizationPattern {
  std::vector<Node*> layers;
};

/// In the order of their first layers in the graph; of one first layer the pair comes before the triple.
/// Pair: Conv (of one group, or depthwise) or Gemm -> Relu, LeakyRelu, ReduceMean over places, Pad with zeros or
/// copies, any number of these -> Conv or Gemm. Triple: Conv -> Relu* -> depthwise Conv -> Relu* -> Conv.
/// Source: Nagel et al. 2019, "Data-Free Quantization", section 4.1.
std::vector<EqualizationPattern> FindEqualizationPatterns(const Graph& graph, const NodeFilter& quantized);

}  // namespace preon
