// Kernels that find their scales in each run, beside those of ort-cpu whose scales are known before.
#pragma once

#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/targets/dynamic_kernels.h"

namespace preon {

/// Nodes of the plan that no kernel with known scales takes become dynamic where the runtime has such a kernel and it
/// gains: LSTM, Attention, MatMul with a constant of more than two dimensions (docs/design/placement.md). Tables and
/// convolutions do not: dynamic ones make a file smaller, but no model faster.
void AddDynamicNodes(const Graph& graph, const DynamicKernels& kernels, QuantPlan& plan);

}  // namespace preon
