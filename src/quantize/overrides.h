// What a user sets for single tensors, and which types a target can give them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "quantize/plan.h"

namespace preon {

/// Puts the override's settings over those of the plan. One range or scale for a weight means one for all its channels.
void ApplyOverride(const TensorOverride& wanted, ActivationPlan& activation);
void ApplyOverride(const TensorOverride& wanted, WeightPlan& weight);

/// All types that some tensor may get: those of the options, of layers and of single tensors.
std::vector<TensorType*> TypesOf(PlanOptions& options);
std::vector<TensorType> TypesOf(const PlanOptions& options);
/// Has a tensor or layer settings of its own?
inline bool HasOverrides(const PlanOptions& options) {
  return !options.overrides.empty() || !options.layers.empty() || !options.base_overrides.empty();
}

/// Are --activation, --weight and the types of layers and overrides among `types`, those that the target's Q/DQ nodes can have?
/// Errors: kNotYetSupported, with the option or tensor and what there is.
Status CheckTypes(std::string_view target, std::span<const DataType> types, const PlanOptions& options);

/// Warns of overrides of tensors that the plan leaves in float.
void WarnOfIdleOverrides(const PlanOptions& options, QuantPlan* plan);

}  // namespace preon
