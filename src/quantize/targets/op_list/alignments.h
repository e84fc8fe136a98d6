// Which tensors take scale and zero point of a neighbour (Quark's AlignConcat, AlignPool, …).
#pragma once

#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// Inputs of Concat, Pad, Transpose and Reshape those of the output; outputs of pools and Slice those of the input.
/// Only where both have a pair.
void PlanAlignments(const Graph& graph, const AlignOptions& align, QuantPlan* plan);

}  // namespace preon
