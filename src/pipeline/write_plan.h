// From a plan and what data have told to a quantized model: ranges, algorithms, Q/DQ nodes.
#pragma once

#include <string>
#include <vector>

#include "base/context.h"
#include "base/status.h"
#include "ir/graph.h"
#include "pipeline/plan_inputs.h"
#include "quantize/plan/quant_plan.h"
#include "ranges/range_method.h"

namespace preon {

/// What range choice and algorithms want to know for this plan.
StatisticsRequest RequestFor(const Graph& graph, const QuantPlan& plan,
                             const std::vector<const Algorithm*>& algorithms);

/// What the algorithms get to know: the saved statistics, and under them those of the data.
CollectedStatistics CollectedFor(const Graph& graph, const QuantPlan& plan, const PlanInputs& inputs);

/// The quantized model. @param warnings  null, or gets what a user should know
/// Errors: those of SelectRanges, of the algorithms and of ApplyPlan.
Result<Model> WritePlan(const Model& model, const QuantPlan& plan, const RangeMethod& method, const PlanInputs& inputs,
                        const RunContext& context, std::vector<std::string>* warnings = nullptr);

}  // namespace preon
