// Estimated time of a planned model on ONNX Runtime's CPU provider: what decisions go by, so that they are the same on
// every machine.
#pragma once

#include <set>
#include <string>

#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// Nanoseconds of one run at one thread, dense Conv, MatMul and Gemm by multiply-accumulates, others by elements, codes
/// made and read where integer and float nodes meet. Good for ratios between plans of one graph; figures:
/// docs/design/placement.md (AVX-512 VNNI). What has no known shape counts as one element.
double EstimatedNs(const Graph& graph, const QuantPlan& plan);

/// Of one node.
double EstimatedNodeNs(const Graph& graph, const Node& node, bool integer);

/// Tensors of these integer nodes that others write or read as floats: each is quantized or dequantized.
std::set<std::string> BoundaryTensors(const Graph& graph, const QuantPlan& plan, const std::set<const Node*>& integer);
/// Of quantizing or dequantizing one of them.
double BoundaryNs(const Graph& graph, const std::string& tensor);

/// What an integer node saves in the time of a float one.
double SavedNs(const Graph& graph, const Node& node);

}  // namespace preon
