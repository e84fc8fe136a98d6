// Second pairs around nodes whose tensors have a type of their own (Quark's EnableDualQuantNodePairs).
#pragma once

#include "ir/graph.h"
#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// Gives every node one type for the activations that it reads and writes: that of the first whose type is set;
/// of a node that is not among those with layers, where there are such, the default. Where the writer and a reader of a
/// tensor want different types the tensor has the writer's, and the reader a second pair. A pair that would have been
/// removed for the sake of a fusion stays where there are two, but for layers that a search changes. Nodes without
/// settings take what comes. With --compat quark each reader has a second pair of its own, under Quark's names.
void PlanPrecisionBorders(const Graph& graph, const TensorType& activation, const TensorSettings& settings,
                          QuantPlan* plan);

}  // namespace preon
