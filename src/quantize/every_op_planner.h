// The placement of targets whose hardware, or simulation, is no runtime's: every operator of a fixed list gets
// quantizers on its tensors, whether or not a CPU kernel gains by it.
#pragma once

#include <string_view>

#include "quantize/plan.h"

namespace preon {

struct EveryOpRules {
  std::string_view target;
  /// kLibrary also gives biases that are no int32 codes the weights' type, as the reference does; else they stay float.
  OperatorForm operators;
};

/// Attention scores with a mask in them stay float, but for --compat: the mask would drown the scores.
/// Errors: as Target::Plan; kFormatCombination for scales that a type has not.
Result<QuantPlan> PlanEveryOp(const Model& model, const PlanOptions& options, const EveryOpRules& rules);

/// Floats that need no scale.
bool IsSixteenBitFloat(DataType type);

/// Target::Takes: any number format of the registry.
bool TakesEveryType(const PlanOptions& options);
/// Target::RequiredOpset.
int64_t EveryOpOpset(const PlanOptions& options, OperatorForm operators);
/// Target::NeedsStatistics: block formats and unscaled floats have no ranges.
bool EveryOpNeedsStatistics(const PlanOptions& options);

}  // namespace preon
