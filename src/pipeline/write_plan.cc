#include "pipeline/write_plan.h"

#include "pipeline/select_ranges.h"
#include "quantize/write/apply_plan.h"

namespace preon {
namespace {

class RecordDivided final : public WriteHook {
 public:
  explicit RecordDivided(std::vector<DividedChannels>& divided) : divided_(divided) {}
  void OnDivided(const DividedChannels& divided) override { divided_.push_back(divided); }

 private:
  std::vector<DividedChannels>& divided_;
};

}  // namespace

StatisticsRequest RequestFor(const Graph& graph, const QuantPlan& plan,
                             const std::vector<const Algorithm*>& algorithms) {
  StatisticsRequest request;
  for (std::string& tensor : plan.ObservedTensors()) request.tensors.insert(std::move(tensor));
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
  WriteHooks hooks;
  for (const Algorithm* algorithm : inputs.algorithms) {
    PREON_ASSIGN_OR_RETURN(std::unique_ptr<WriteHook> hook, algorithm->Apply(model.graph, plan, collected));
    if (hook != nullptr) hooks.push_back(std::move(hook));
  }
  if (notes != nullptr) hooks.push_back(std::make_unique<RecordDivided>(notes->divided));
  return ApplyPlan(model, plan, ranges, hooks, notes == nullptr ? nullptr : &notes->warnings,
                   {.threads = context.ThreadCount(),
                    .passes = inputs.passes,
                    .positions = notes == nullptr ? nullptr : &notes->positions,
                    .float_weights = notes == nullptr ? nullptr : &notes->float_weights});
}

}  // namespace preon
