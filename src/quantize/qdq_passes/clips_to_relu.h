// Clips that need no upper bound (ConvertClipToRelu; spec graph-passes §4).
#pragma once

#include <string>
#include <vector>

#include "quantize/params/plan_params.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// A quantized Clip from 0 becomes Relu where the codes behind it end at its upper bound, half a step more or less.
/// With
/// --compat quark every quantized Clip from 0 or above does, as in the reference, whatever that makes of the values.
/// @return one warning per Clip from 0 that stays.
std::vector<std::string> ClipsToRelu(Graph& graph, const QuantPlan& plan, const PlanParams& params);

}  // namespace preon
