// Q/DQ where TensorRT builds INT8 kernels from them (docs/design/tensorrt.md).
#pragma once

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// Errors: kConflictingOptions for types, zero points and blocks that TensorRT has not.
Result<QuantPlan> PlanForTensorrt(const Model& model, const PlanOptions& options);

}  // namespace preon
