// From settings of nodes, by the role of their tensors, to settings of tensors (spec options §8, qdq §8.2).
#pragma once

#include "ir/graph.h"
#include "quantize/plan.h"

namespace preon {

/// `over`, and where it says nothing `under`, setting by setting: a range and a scale exclude each other.
TensorOverride Merged(const TensorOverride& over, const TensorOverride& under);

/// The options with what their layers say of the graph's tensors under `overrides`. Where a node and the ones it reads want
/// different types, the tensor has its producer's, and each other type gets a second pair for its readers; with --compat the
/// later node's setting is the tensor's, as in the reference.
PlanOptions WithLayers(const Graph& graph, PlanOptions options);

/// The target's plan for these options, layers included. Errors: those of Target::Plan.
Result<QuantPlan> PlanWithLayers(const Target& target, const Model& model, const PlanOptions& options);

}  // namespace preon
