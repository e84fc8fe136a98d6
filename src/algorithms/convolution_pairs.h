// Convolutions in a row, between which channels may be divided (quantize/write/divided_channels.h).
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// writer -> (Relu | Clip) -> tensor -> reader.
struct ConvolutionPair {
  std::string tensor;
  const Node* writer;
  const Node* clamp;  ///< null: there is none
  const Node* reader;
};

/// Both integer, with codes of a scale that follows from their values; nothing else reads what is between, nor their
/// constants, nor shares the tensor's scale. The reader is depthwise or of one group. In the order of the tensors'
/// names.
std::vector<ConvolutionPair> FindConvolutionPairs(const Graph& graph, const QuantPlan& plan);

}  // namespace preon
