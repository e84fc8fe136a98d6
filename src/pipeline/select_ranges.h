// Range choice: one function for `ranges`, --all-methods, quantize and its trials.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/status.h"
#include "calib/calibration.h"
#include "ir/graph.h"
#include "pipeline/plan_inputs.h"
#include "quantize/plan/quant_plan.h"
#include "ranges/range_method.h"

namespace preon {

/// Of each of QuantPlan::RangeTensors, what its range depends on beside statistics.
PlannedRanges PlanRanges(const Graph& graph, const QuantPlan& plan);
/// What calibration has to observe for these ranges (of a plan): the tensors themselves, and what a mask is told by.
std::set<std::string> ObservedFor(const Graph& graph, const QuantPlan& plan, const std::vector<std::string>& ranges);
/// Float tensors that are no constants get activations with ranges of their own, for what the plan has of them or for
/// `query`. Nothing can be written by the plan any more.
void PlanAllTensors(const Graph& graph, const RangeQuery& query, QuantPlan& plan);

/// A range for each planned one: the saved one, else by the tensor's own method, else the collected one,
/// else the one chosen before, else by `method` from the statistics and, if the method is graph-aware, from the graph
/// (ranges/refine/choose_range.h). Errors: kRangeMissing, kRangeNotFinite, naming the tensor; those of the methods.
Result<TensorRanges> SelectRanges(const PlannedRanges& planned, const RangeMethod& method, const PlanInputs& inputs,
                                  const RunContext& context);

}  // namespace preon
