// Regions of integer convolutions too small to pay for the Q and DQ around them.
#pragma once

#include <set>
#include <string>

#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// The Conv, Gemm and MatMul nodes of connected groups of integer nodes that hold a Conv and save less time than
/// quantizing at their entries and dequantizing at their exits costs. Estimated from shapes; unknown dimensions count
/// as in NodeMacs for the work, as 1 for the tensors at the ends. Sources of the constants: docs/design/placement.md.
std::set<std::string> NodesOfSmallIntegerRegions(const Graph& graph, const QuantPlan& plan);

}  // namespace preon
