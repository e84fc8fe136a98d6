// From marks to a plan: types, scales, forms, biases; for targets whose operators mark tensors (op_list_rules.h).
#pragma once

#include "quantize/plan/quant_plan.h"
#include "quantize/targets/op_list/op_list_rules.h"

namespace preon {

/// Errors: as Target::Plan; kFormatCombination for scales that a type has not.
Result<QuantPlan> PlanOpList(const Model& model, const PlanOptions& options, const OpListRules& rules);

/// Target::Takes: any number format of the registry.
/// Target::RequiredOpset. With `contrib` pairs of 4 and 16 bits need no opset of their own.
int64_t OpListOpset(const PlanNeeds& needs, OperatorForm operators, bool contrib = false);
/// Target::NeedsStatistics: block formats and unscaled floats have no ranges.
bool OpListNeedsStatistics(const TensorType& activation, bool scaled, bool has_overrides);

}  // namespace preon
