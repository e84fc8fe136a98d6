#include "search/runtime_placement.h"

#include "eval/fusion_report.h"
#include "eval/open_model.h"
#include "pipeline/placement.h"
#include "pipeline/write_plan.h"

namespace preon {

Result<std::optional<Placement>> RuntimePlacement(const PlannedModel& prepared, const Model& quantized,
                                                  const RunContext& context) {
  if (quantized.weight_file) return std::optional<Placement>();
  PREON_ASSIGN_OR_RETURN(const OpenedModel opened, OpenModel(quantized, {.threads = context.ThreadCount()}, context));
  if (!opened.optimized) return std::optional<Placement>();
  return std::optional(
      JoinPlacement(prepared.plan, prepared.model.graph, ObserveKernels(quantized.graph, opened.optimized->graph)));
}

Status LeaveNotFused(PlannedModel& planned, const RangeMethod& method, const PlanInputs& inputs,
                     const FallbackPlanner& fallback, const RunContext& context) {
  std::optional<Placement> placement;
  return fallback.LeaveUnfit(planned, [&]() -> Result<WrittenFacts> {
    PREON_ASSIGN_OR_RETURN(const Model quantized, WritePlan(planned.model, planned.plan, method, inputs, context));
    PREON_ASSIGN_OR_RETURN(placement, RuntimePlacement(planned, quantized, context));
    return WrittenFacts{.placement = placement ? &*placement : nullptr};
  });
}

}  // namespace preon
