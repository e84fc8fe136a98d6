// Float fall-back by sensitivity: layers around tensors whose step is large against some channels' values stay float
// where that brings the model nearer to float.
#pragma once

#include <span>

#include "pipeline/fallback_planner.h"
#include "pipeline/plan_inputs.h"
#include "pipeline/prepare_model.h"
#include "search/trial.h"

namespace preon {

/// Of one tensor: the noise that rounding to `step` makes, relative to each channel's own signal, at most 1 each, on
/// average. 0 where every channel uses many codes, near 1 where most of them hardly leave one. A channel counts as a
/// normal distribution that reaches four standard deviations to either side. Spans: maximum less minimum; one that is 0
/// or not finite does not count.
double RoundingNoiseShare(std::span<const double> channel_spans, double step);

/// For a model that no method brings near float (`sqnr_db`, of `method` on the trials' samples): plans again with more
/// and more of the Conv, Gemm and MatMul nodes around the most sensitive tensors in float, keeps the plan that pays,
/// and says whether there is one. What is good enough stays as it is. Errors: kCancelled; those of planning.
Result<bool> FallBackBySensitivity(PlannedModel& prepared, const RangeMethod& method, const PlanInputs& inputs,
                                   const FallbackPlanner& fallback, Trials& trials, double sqnr_db);

}  // namespace preon
