// The placement algorithm of target ort-cpu. See docs/design/placement.md.
#pragma once

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// Bytes alone. Errors: those of CheckTypes.
Status CheckOrtCpuTypes(const TensorType& activation, const TensorType& weight, const TensorSettings& settings);

/// Decides node by node; errors as Target::Plan.
Result<QuantPlan> PlanForOrtCpu(const Model& model, const PlanOptions& options);

}  // namespace preon
