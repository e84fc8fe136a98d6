// Lines of a run's log (RunContext::Debug): what --verbose and the key DebugMode show of a result, one line each.
#pragma once

#include <string>
#include <vector>

#include "quantize/params/plan_params.h"
#include "quantize/plan/quant_plan.h"
#include "report/results/results.h"

namespace preon {

/// Range methods and nodes in float that were tried, each with what came of it.
std::vector<std::string> LinesOfTrials(const std::vector<MethodCandidate>& candidates,
                                       const AccuracyFallback& fallback);
/// What algorithms did to the codes of the written model.
std::vector<std::string> LinesOfImproved(const std::vector<ImprovedCodes>& improved);
/// Each node: integer, or float and why. @param computes_in_float  QuantizeResult's
std::vector<std::string> LinesOfNodes(const Placement& placement, bool computes_in_float);
/// Constants that become codes, those in bodies included.
std::vector<std::string> LinesOfWeights(const QuantPlan& plan);
/// Activations that have a pair: type, scale, zero point and the range that these stand for.
/// @param params  as they are written
std::vector<std::string> LinesOfActivations(const QuantPlan& plan, const PlanParams& params);

}  // namespace preon
