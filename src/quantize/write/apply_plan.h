// From a plan and its statistics to a model with Q/DQ nodes.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan/plan_statistics.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/qdq_passes/qdq_pass.h"

namespace preon {

/// Writes the plan's Q/DQ nodes, codes, scales and zero points, weights in blocks on so many threads; then runs the
/// passes over the result. Errors: kRangeMissing, kRangeInvalid, kQuantizeFailed.
Result<Model> ApplyPlan(const Model& model, const QuantPlan& plan, const PlanStatistics& statistics,
                        std::vector<std::string>* warnings, int threads = 1, const QdqPassOptions& passes = {});

}  // namespace preon
