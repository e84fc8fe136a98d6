// Dynamic quantization: which nodes compute in integers whose activations get their scales in each run
// (docs/design/dynamic.md).
#pragma once

#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// By default MatMul, LSTM, Gather of a constant table, Attention and EmbedLayerNormalization, as far as integers gain;
/// Conv on request alone. With `options.compat` the other tools' choice, which is every one of these and Conv.
/// Errors: those of CheckPlan.
Result<QuantPlan> PlanDynamic(const Model& model, const PlanOptions& options);

}  // namespace preon
