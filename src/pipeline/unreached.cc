#include "pipeline/unreached.h"

#include <algorithm>

#include "quantize/plan/branch_coverage.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/settings/layer_settings.h"

namespace preon {
namespace {

// Observed tensors that never had a value. One without statistics is an error of the caller's (another placement made
// them) as long as the plan is the one that was calibrated; a later plan may ask for more than the first.
std::set<std::string> TensorsWithoutValues(const QuantPlan& plan, const CalibrationData& data, bool first_plan) {
  std::set<std::string> empty;
  for (const std::string& tensor : plan.ObservedTensors()) {
    const auto sketch = data.tensors.find(tensor);
    if (sketch == data.tensors.end() ? !first_plan : sketch->second.count() == 0) empty.insert(tensor);
  }
  return empty;
}

std::string Listed(const std::set<std::string>& places) {
  constexpr size_t kShown = 3;
  std::string text;
  size_t index = 0;
  for (const std::string& place : places) {
    if (index == kShown) break;
    text += (index++ == 0 ? "" : ", ") + place;
  }
  return places.size() > kShown ? StrCat(text, " and ", places.size() - kShown, " more") : text;
}

}  // namespace

Status FallBackNotReached(const CalibrationData& data, const Job& job, PreparedModel& prepared) {
  const Graph& graph = prepared.model.graph;
  PlanOptions options = job.choices.plan;
  options.left_float = prepared.left_float;
  const size_t known = options.left_float.size();
  std::set<std::string> places;
  for (bool first_plan = true;; first_plan = false) {
    const std::set<std::string> empty = TensorsWithoutValues(prepared.plan, data, first_plan);
    Unreached unreached = FindUnreached(graph, prepared.plan.ObservedTensors(), empty);
    const size_t before = options.left_float.size();
    for (const std::string& node : unreached.nodes) options.left_float.emplace(node, FloatReason::kNotReached);
    if (options.left_float.size() == before) break;  // grows, so this ends
    places.insert(unreached.places.begin(), unreached.places.end());
    PREON_ASSIGN_OR_RETURN(prepared.plan, PlanWithLayerSettings(*job.choices.target, prepared.model, options));
  }
  if (options.left_float.size() == known) return Status::Ok();
  const std::string where = StrCat("the calibration data never reach ", Listed(places));
  if (prepared.plan.activations.empty()) {
    return Error(ErrorId::kNothingToQuantize, prepared.model.source_path, ": ", where,
                 ", and nothing else can run as an integer kernel");
  }
  prepared.warnings.push_back(StrCat(where, ": ", options.left_float.size() - known, " nodes stay float"));
  prepared.left_float = std::move(options.left_float);
  return Status::Ok();
}

}  // namespace preon
