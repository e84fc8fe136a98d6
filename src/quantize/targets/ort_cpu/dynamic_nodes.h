// Kernels that find their scales in each run, beside those of ort-cpu whose scales are known before.
#pragma once

#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/targets/dynamic_kernels.h"

namespace preon {

/// Nodes of the plan that no kernel with known scales takes become dynamic where the runtime has such a kernel and it
/// gains: LSTM, Attention, MatMul with a constant of more than two dimensions, and tables of embeddings that are a good
/// part of the file (docs/design/placement.md). Small tables and convolutions do not: dynamic ones make no model
/// faster.
void AddDynamicNodes(const Graph& graph, const DynamicKernels& kernels, QuantPlan& plan);

}  // namespace preon
