#include "pipeline/fallback_planner.h"

#include <algorithm>
#include <set>

#include "base/spelling.h"
#include "quantize/plan/branch_coverage.h"
#include "quantize/qdq_passes/code_groups.h"
#include "quantize/settings/layer_settings.h"

namespace preon {
namespace {

// A node left in float may take the reason to be integer from its neighbours; that ends after a step or two.
constexpr int kMaxPlans = 4;

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

FloatNodes NotFused(const Placement& placement) {
  FloatNodes nodes;
  for (const FloatNode& node : placement.float_nodes) {
    if (node.macs_share > 0 && node.reason == FloatReasonName(FloatReason::kNotFused))
      nodes.emplace(node.node, FloatReason::kNotFused);
  }
  return nodes;
}

// Nodes that move the same positions again and again; layers only where no other operator can give way.
FloatNodes Contradicting(const PositionTable& table) {
  FloatNodes all, without_layers;
  for (const std::string& node : table.cycle) {
    const auto row = std::ranges::find(table.rows, node, &PositionRow::node);
    all.emplace(node, FloatReason::kLimits);
    if (row != table.rows.end() && !row->after.weight) without_layers.emplace(node, FloatReason::kLimits);
  }
  return without_layers.empty() ? all : without_layers;
}

}  // namespace

Result<QuantPlan> FallbackPlanner::Plan(const Model& model, const FloatNodes& left_float) const {
  PlanOptions options = options_;
  options.left_float = left_float;
  PREON_ASSIGN_OR_RETURN(QuantPlan plan, PlanWithLayerSettings(target_, model, options));
  for (const std::string& tensor : plan.RangeTensors()) {
    if (HasRange(plan, tensor)) continue;
    if (std::string in_front = ObservedInFront(model.graph, tensor); !in_front.empty())
      plan.activations.at(tensor).range_of = std::move(in_front);
  }
  return plan;
}

// Behind a layer in float, values may be quantized where they have been moved to: those have the range from before.
std::string FallbackPlanner::ObservedInFront(const Graph& graph, const std::string& tensor) const {
  const Node* moves = graph.Producer(tensor);
  while (moves != nullptr && MovesElements(*moves)) {
    if (data_.tensors.contains(moves->input(0))) return moves->input(0);
    moves = graph.Producer(moves->input(0));
  }
  return "";
}

bool FallbackPlanner::HasRange(const QuantPlan& plan, const std::string& tensor) const {
  if (saved_ != nullptr && saved_->contains(tensor)) return true;
  const auto sketch = data_.tensors.find(plan.ObservedFor(tensor));
  return sketch != data_.tensors.end() && sketch->second.count() > 0;
}

Result<FallbackEnd> FallbackPlanner::Run(PlannedModel& prepared, FloatFallback fallback) const {
  fallback.plan = [&](const FloatNodes& left_float) { return Plan(prepared.model, left_float); };
  return FallBack(fallback, prepared.plan, prepared.left_float);
}

bool FallbackPlanner::HasStatistics(const QuantPlan& plan) const {
  return std::ranges::all_of(plan.RangeTensors(), [&](const std::string& tensor) { return HasRange(plan, tensor); });
}

std::optional<QuantPlan> FallbackPlanner::IfPossible(QuantPlan plan) const {
  if (plan.empty() || !HasStatistics(plan)) return std::nullopt;
  return plan;
}

Result<std::optional<QuantPlan>> FallbackPlanner::PlanWithout(const FloatNodes& nodes,
                                                              const PlannedModel& prepared) const {
  FloatNodes all = prepared.left_float;
  all.insert(nodes.begin(), nodes.end());
  PREON_ASSIGN_OR_RETURN(QuantPlan plan, Plan(prepared.model, all));
  return IfPossible(std::move(plan));
}

Result<std::optional<QuantPlan>> FallbackPlanner::PlanWithLayers(const std::vector<LayerOverride>& layers,
                                                                 const PlannedModel& prepared) const {
  PlanOptions options = options_;
  options.left_float = prepared.left_float;
  options.settings.layers.insert(options.settings.layers.end(), layers.begin(), layers.end());
  PREON_ASSIGN_OR_RETURN(QuantPlan plan, PlanWithLayerSettings(target_, prepared.model, options));
  return IfPossible(std::move(plan));
}

Status FallbackPlanner::LeaveNotReached(PreparedModel& prepared) const {
  const size_t known = prepared.left_float.size();
  std::set<std::string> places;
  const auto advice = [&, first_plan = true](const QuantPlan& plan) mutable -> Result<FloatNodes> {
    const std::set<std::string> empty = TensorsWithoutValues(plan, data_, first_plan);
    first_plan = false;
    const NotReached not_reached = FindNotReached(prepared.model.graph, plan.ObservedTensors(), empty);
    FloatNodes nodes;
    for (const std::string& node : not_reached.nodes) nodes.emplace(node, FloatReason::kNotReached);
    const auto is_new = [&](const auto& node) { return !prepared.left_float.contains(node.first); };
    if (std::ranges::any_of(nodes, is_new)) places.insert(not_reached.places.begin(), not_reached.places.end());
    return nodes;
  };
  PREON_RETURN_IF_ERROR(Run(prepared, {.advice = advice}).status());
  if (prepared.left_float.size() == known) return Status::Ok();
  const std::string where = StrCat("no calibration sample reaches ", FirstNames(places, 3));
  if (prepared.plan.activations.empty()) {
    return Error(ErrorId::kNothingToQuantize, prepared.model.source_path, ": ", where,
                 ", and nothing else can run as an integer kernel");
  }
  prepared.warnings.push_back(StrCat(where, ": ", prepared.left_float.size() - known, " nodes stay float"));
  return Status::Ok();
}

Status FallbackPlanner::LeaveUnfit(PlannedModel& prepared, const std::function<Result<WrittenFacts>()>& write) const {
  const auto unfit = [&](const QuantPlan& plan) -> Result<FloatNodes> {
    PREON_ASSIGN_OR_RETURN(const WrittenFacts written, write());
    FloatNodes nodes;
    if (written.placement != nullptr && target_.FollowsRuntime()) nodes = NotFused(*written.placement);
    if (written.positions != nullptr && plan.compat == Compat::kOff) nodes.merge(Contradicting(*written.positions));
    return nodes;
  };
  return Run(prepared, {.advice = unfit,
                        .fits = [&](const QuantPlan& plan) { return !plan.empty() && HasStatistics(plan); },
                        .max_plans = kMaxPlans})
      .status();
}

}  // namespace preon
