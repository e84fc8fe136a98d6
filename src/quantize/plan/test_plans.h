// What tests ask of plans.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "quantize/plan/quant_plan.h"

namespace preon::test {

inline FloatReason ReasonOf(const QuantPlan& plan, const std::string& node) {
  for (const NodeDecision& decision : plan.nodes) {
    if (decision.node == node) return decision.reason;
  }
  ADD_FAILURE() << "no decision for " << node;
  return FloatReason::kNone;
}

}  // namespace preon::test
