#include "pipeline/write_plan.h"

#include <algorithm>
#include <iterator>

#include "pipeline/select_ranges.h"
#include "quantize/write/apply_plan.h"
#include "report/debug/debug_lines.h"

namespace preon {
namespace {

class RecordNotes final : public WriteHook {
 public:
  RecordNotes(const QuantPlan& plan, bool for_log, WritingNotes& notes)
      : plan_(plan), for_log_(for_log), notes_(notes) {}
  void OnDivided(const DividedChannels& divided) override { notes_.divided.push_back(divided); }
  void OnWritten(const PlanParams& params) override {
    if (for_log_) std::ranges::move(LinesOfActivations(plan_, params), std::back_inserter(notes_.activation_lines));
  }

 private:
  const QuantPlan& plan_;
  const bool for_log_;
  WritingNotes& notes_;
};

}  // namespace

StatisticsRequest RequestFor(const Graph& graph, const QuantPlan& plan,
                             const std::vector<const Algorithm*>& algorithms) {
  StatisticsRequest request{.tensors = ObservedFor(graph, plan, plan.RangeTensors())};
  request.tensors.insert(plan.branch_probes.begin(), plan.branch_probes.end());
  for (const Algorithm* algorithm : algorithms) request.Add(algorithm->Needs(graph, plan));
  return request;
}

CollectedStatistics CollectedFor(const Graph& graph, const QuantPlan& plan, const CalibrationData& data,
                                 const SavedRanges* saved, const std::vector<const Algorithm*>& algorithms) {
  CollectedStatistics collected;
  if (saved != nullptr) collected = saved->statistics;
  collected.Add(Collected(data, RequestFor(graph, plan, algorithms)));
  return collected;
}

Result<Model> WritePlan(const Model& model, const QuantPlan& plan, const RangeMethod& method, const PlanInputs& inputs,
                        const RunContext& context, WritingNotes* notes) {
  PREON_ASSIGN_OR_RETURN(const TensorRanges ranges,
                         SelectRanges(PlanRanges(model.graph, plan), method, inputs, context));
  const CollectedStatistics collected = CollectedFor(model.graph, plan, inputs.data, inputs.saved, inputs.algorithms);
  const bool for_log = notes != nullptr && context.Wants(LogLevel::kDebug);
  WriteHooks hooks;
  for (const Algorithm* algorithm : inputs.algorithms) {
    PREON_ASSIGN_OR_RETURN(std::unique_ptr<WriteHook> hook, algorithm->Apply(model.graph, plan, collected));
    if (hook == nullptr) continue;
    if (for_log) context.Debug("algorithm ", algorithm->name(), " has a part in the codes");
    hooks.push_back(std::move(hook));
  }
  if (notes != nullptr) hooks.push_back(std::make_unique<RecordNotes>(plan, for_log, *notes));
  return ApplyPlan(model, plan, ranges, hooks, notes == nullptr ? nullptr : &notes->warnings,
                   {.threads = context.ThreadCount(),
                    .passes = inputs.passes,
                    .positions = notes == nullptr ? nullptr : &notes->positions,
                    .float_weights = notes == nullptr ? nullptr : &notes->float_weights});
}

}  // namespace preon
