// What operators of the DPU cost: the model is written once more without each of them, and both run on a batch.
#pragma once

#include <vector>

#include "base/context.h"
#include "base/status.h"
#include "eval/compare_runs.h"
#include "pipeline/plan_inputs.h"
#include "pipeline/prepare_model.h"
#include "ranges/range_method.h"
#include "report/results/results.h"
#include "runtime/session.h"

namespace preon {

/// Models that run on a batch.
struct DpuComparison {
  const Batch& batch;
  ModelOutputs reference;  ///< of the float model
  Session& written;        ///< of the model with all operators of the DPU
};

/// One entry for each pass dpu_… that changes this model, in their order; SQNR over the worst output.
/// Errors: those of writing and running.
Result<std::vector<DpuCost>> MeasureDpuCosts(const PlannedModel& prepared, const PlanInputs& inputs,
                                             const RangeMethod& method, const DpuComparison& runs,
                                             const RunContext& context);

}  // namespace preon
