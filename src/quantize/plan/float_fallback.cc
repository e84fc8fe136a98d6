#include "quantize/plan/float_fallback.h"

#include <utility>

namespace preon {

Result<FallbackEnd> FallBack(const FloatFallback& fallback, QuantPlan& plan, FloatNodes& left_float) {
  for (int plans = 1;; ++plans) {
    PREON_ASSIGN_OR_RETURN(FloatNodes more, fallback.advice(plan));
    FloatNodes all = left_float;
    all.merge(more);
    if (all.size() == left_float.size()) return FallbackEnd::kSettled;
    if (plans == fallback.max_plans) return FallbackEnd::kLimit;
    PREON_ASSIGN_OR_RETURN(QuantPlan without, fallback.plan(all));
    if (!fallback.fits(without)) return FallbackEnd::kRefused;
    plan = std::move(without);
    left_float = std::move(all);
  }
}

}  // namespace preon
