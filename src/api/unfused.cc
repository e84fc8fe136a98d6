#include "api/unfused.h"

#include <algorithm>

namespace preon {

Result<bool> LeaveUnfusedInFloat(const Placement& placement, const CalibrationData& data, const Job& job,
                                 PreparedModel& prepared) {
  if (!job.choices.target->FollowsRuntime()) return false;
  PlanOptions options = job.options.plan;
  options.left_float = prepared.left_float;
  for (const FloatNode& node : placement.float_nodes) {
    if (node.macs_share > 0 && node.reason == FloatReasonName(FloatReason::kNotFused))
      options.left_float.emplace(node.node, FloatReason::kNotFused);
  }
  if (options.left_float.size() == prepared.left_float.size()) return false;
  PREON_ASSIGN_OR_RETURN(QuantPlan plan, job.choices.target->Plan(prepared.model, options));
  const auto known = [&](const std::string& tensor) {
    const auto sketch = data.tensors.find(tensor);
    return sketch != data.tensors.end() && sketch->second.count() > 0;
  };
  if (plan.activations.empty() || !std::ranges::all_of(plan.RangeTensors(), known)) return false;
  prepared.plan = std::move(plan);
  prepared.left_float = std::move(options.left_float);
  return true;
}

}  // namespace preon
