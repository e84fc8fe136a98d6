#include "pipeline/replan.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/settings/layer_settings.h"

#include <algorithm>

namespace preon {

Result<bool> Replan(std::map<std::string, FloatReason> left_float, const CalibrationData& data, const Job& job,
                    PreparedModel& prepared) {
  PlanOptions options = job.choices.plan;
  options.left_float = std::move(left_float);
  PREON_ASSIGN_OR_RETURN(QuantPlan plan, PlanWithLayerSettings(*job.choices.target, prepared.model, options));
  const auto known = [&](const std::string& tensor) {
    if (job.saved && job.saved->statistics.ranges.contains(tensor)) return true;
    const auto sketch = data.tensors.find(plan.ObservedFor(tensor));
    return sketch != data.tensors.end() && sketch->second.count() > 0;
  };
  if (plan.empty() || !std::ranges::all_of(plan.RangeTensors(), known)) return false;
  prepared.plan = std::move(plan);
  prepared.left_float = std::move(options.left_float);
  return true;
}

}  // namespace preon
