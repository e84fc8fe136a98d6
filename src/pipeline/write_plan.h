// From a plan and what data have told to a quantized model: ranges, algorithms, Q/DQ nodes.
#pragma once

#include <string>
#include <vector>

#include "base/context.h"
#include "base/status.h"
#include "ir/graph.h"
#include "pipeline/plan_inputs.h"
#include "quantize/params/position_table.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/write/float_weight_writer.h"
#include "quantize/write/write_hook.h"
#include "ranges/range_method.h"

namespace preon {

/// What range choice and algorithms want to know for this plan.
StatisticsRequest RequestFor(const Graph& graph, const QuantPlan& plan,
                             const std::vector<const Algorithm*>& algorithms);

/// What the algorithms get to know: the saved statistics, and under them those of the data.
CollectedStatistics CollectedFor(const Graph& graph, const QuantPlan& plan, const CalibrationData& data,
                                 const SavedRanges* saved, const std::vector<const Algorithm*>& algorithms);

/// What a plan's writing tells beside the model.
struct WritingNotes {
  std::vector<std::string> warnings;     ///< what a user should know
  std::vector<DividedChannels> divided;  ///< by algorithms, in the quantized model alone
  PositionTable positions;               ///< of an NPU that computes with shifts
  std::vector<StoredFloatWeight> float_weights;
  std::vector<std::string> activation_lines;  ///< of the log, where that wants them
};

/// The quantized model. @param notes  null, or gets more
/// Errors: those of SelectRanges, of the algorithms and of ApplyPlan.
Result<Model> WritePlan(const Model& model, const QuantPlan& plan, const RangeMethod& method, const PlanInputs& inputs,
                        const RunContext& context, WritingNotes* notes = nullptr);

}  // namespace preon
