// What lies behind the last sums of a model: what it gives, and what that is made of.
#pragma once

#include <set>
#include <string>

#include "quantize/plan/quant_plan.h"

namespace preon {

/// Quantized tensors from which nothing leads to an operator that sums up (products, averages, sub-graphs, operators of
/// other domains): outputs of the model, and in front of them scores and coordinates that are only decoded. Nothing
/// evens out what codes do to their peaks.
std::set<std::string> FindOutputTensors(const Graph& graph, const QuantPlan& plan);

}  // namespace preon
