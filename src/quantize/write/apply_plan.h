// From a plan and the ranges of its tensors to a model with Q/DQ nodes.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/params/position_table.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/qdq_passes/qdq_pass.h"
#include "quantize/write/float_weight_writer.h"
#include "quantize/write/write_hook.h"

namespace preon {

struct ApplyPlanOptions {
  int threads = 1;  ///< for weights in blocks
  QdqPassOptions passes;
  PositionTable* positions = nullptr;                       ///< gets the positions and shifts of an NPU's plan
  std::vector<StoredFloatWeight>* float_weights = nullptr;  ///< gets how they are stored
};

/// Writes the plan's Q/DQ nodes, codes, scales and zero points, then runs the passes over the result.
/// @param ranges  one per QuantPlan::RangeTensors
/// @param hooks  of algorithms, in the order in which they are asked
/// @param warnings  null, or gets what a user should know
/// Errors: kRangeMissing, kRangeInvalid, kQuantizeFailed, those of the hooks.
Result<Model> ApplyPlan(const Model& model, const QuantPlan& plan, const TensorRanges& ranges,
                        const WriteHooks& hooks = {}, std::vector<std::string>* warnings = nullptr,
                        const ApplyPlanOptions& options = {});

}  // namespace preon
