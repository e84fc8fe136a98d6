// From settings of nodes, by the role of their tensors, to settings of tensors (docs/design/configuration.md).
#pragma once

#include "ir/graph.h"
#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/plan/target.h"

namespace preon {

/// The options with what their layers say of the graph's tensors under `overrides`. Layers count for nodes alone that
/// `plain`, the target's plan without any settings, quantizes.
///
/// A tensor has the type of its own setting, else that for outputs of its writer, else the most precise one
/// (formats/precision.h) that a reader wants, those without a layer included. Readers that want another get a second
/// pair; where the tensor has a setting of its own none does. An operator that moves data wants what its output has.
/// With --compat the later node's setting is the tensor's, as in Quark.
PlanOptions WithLayerSettings(const Graph& graph, PlanOptions options, const QuantPlan& plain);

/// The target's plan for these options, layers included, with warnings of settings that had no effect. Errors: those of
/// Target::Plan and CheckOpTypes.
Result<QuantPlan> PlanWithLayerSettings(const Target& target, const Model& model, const PlanOptions& options);

}  // namespace preon
