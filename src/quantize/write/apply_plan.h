// From a plan and the ranges of its tensors to a model with Q/DQ nodes.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/write/write_hook.h"

namespace preon {

/// Writes the plan's Q/DQ nodes, codes, scales and zero points.
/// @param ranges  one per QuantPlan::RangeTensors
/// @param hooks  of algorithms, in the order in which they are asked
/// @param warnings  null, or gets what a user should know
/// @param threads  for weights in blocks
/// Errors: kRangeMissing, kRangeInvalid, kQuantizeFailed, those of the hooks.
Result<Model> ApplyPlan(const Model& model, const QuantPlan& plan, const TensorRanges& ranges,
                        const WriteHooks& hooks = {}, std::vector<std::string>* warnings = nullptr, int threads = 1);

}  // namespace preon
