// What operators of the DPU cost: the model is written once more with all and without each of them, with nearest codes
// (fitted ones suit the model that they were fitted in), and runs on a batch.
#pragma once

#include <vector>

#include "base/context.h"
#include "base/status.h"
#include "eval/compare_runs.h"
#include "pipeline/plan_inputs.h"
#include "pipeline/prepare_model.h"
#include "ranges/range_method.h"
#include "report/results/results.h"

namespace preon {

/// One entry for each pass dpu_… that changes this model, in their order; SQNR over the worst output.
/// Errors: those of writing and running.
Result<std::vector<DpuCost>> MeasureDpuCosts(const PlannedModel& prepared, const PlanInputs& inputs,
                                             const RangeMethod& method, const Batch& batch,
                                             const ModelOutputs& float_model, const RunContext& context);

}  // namespace preon
