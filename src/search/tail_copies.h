// Tail copies: what the noise of each tensor that enters the float tail of a model makes of the outputs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// The nodes behind all integer nodes, once more, with one of the tensors that they read as a graph input.
struct TailCopy {
  std::string tensor;                       ///< that enters the tail
  std::string input;                        ///< new graph input, which takes its place
  std::map<std::string, std::string> sums;  ///< by graph output: new output, the sum of squares of how it differs
};

/// Adds a copy for each tensor that enters the tail. None where there is one such tensor or more than 16, where
/// the copies would have more than 1000 nodes, where `quantized` lacks such a tensor, or where the tail branches (If,
/// Loop).
std::vector<TailCopy> AddTailCopies(Graph& graph, const QuantPlan& plan, const Graph& quantized);

}  // namespace preon
