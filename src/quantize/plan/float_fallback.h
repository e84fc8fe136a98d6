// Float fall-back: nodes that a first plan had in integers and that stay float after all.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/status.h"
#include "quantize/plan/float_reason.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// PlanOptions::left_float: nodes by name, with the reason.
using FloatNodes = std::map<std::string, FloatReason>;

/// One fall-back: who says which nodes, how to plan without them, when to stop.
struct FloatFallback {
  /// Nodes of the plan that had better be float; may name again what is float already.
  std::function<Result<FloatNodes>(const QuantPlan&)> advice;
  std::function<Result<QuantPlan>(const FloatNodes& left_float)> plan;
  /// False: the new plan will not do (nothing is left, statistics are missing); the one before it stays.
  std::function<bool(const QuantPlan&)> fits = [](const QuantPlan&) { return true; };
  int max_plans = 0;  ///< 0: as many as there is advice for
};

enum class FallbackEnd {
  kSettled,  ///< no further advice
  kRefused,  ///< `fits` was false
  kLimit,    ///< max_plans
};

/// Asks for advice about `plan`, plans again with what it names in float, until it names nothing new. Each round leaves
/// more nodes in float, so it ends. The searches for accuracy (src/search) compare plans by trials instead.
/// @param left_float  in and out: of `plan`
/// Errors: those of `advice` and `plan`.
Result<FallbackEnd> FallBack(const FloatFallback& fallback, QuantPlan& plan, FloatNodes& left_float);

}  // namespace preon
