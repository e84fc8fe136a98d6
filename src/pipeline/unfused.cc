#include "pipeline/unfused.h"

#include "pipeline/replan.h"
#include "quantize/plan/float_reason.h"

namespace preon {

Result<bool> FallBackNotFused(const Placement& placement, const CalibrationData& data, const Job& job,
                              PreparedModel& prepared) {
  if (!job.choices.target->FollowsRuntime()) return false;
  std::map<std::string, FloatReason> left_float = prepared.left_float;
  for (const FloatNode& node : placement.float_nodes) {
    if (node.macs_share > 0 && node.reason == FloatReasonName(FloatReason::kNotFused))
      left_float.emplace(node.node, FloatReason::kNotFused);
  }
  if (left_float.size() == prepared.left_float.size()) return false;
  return Replan(std::move(left_float), data, job, prepared);
}

}  // namespace preon
