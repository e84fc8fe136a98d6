// What a user sets for single tensors, and which types a target can give them.
#pragma once

#include <span>
#include <string_view>

#include "base/status.h"
#include "quantize/plan.h"

namespace preon {

/// Puts the override's settings over those of the plan. One range or scale for a weight means one for all its channels.
void ApplyOverride(const TensorOverride& wanted, ActivationPlan& activation);
void ApplyOverride(const TensorOverride& wanted, WeightPlan& weight);

/// Are --activation, --weight and the types of overrides among `types`, those that the target's Q/DQ nodes can have?
/// Errors: kNotYetSupported, with the option or tensor and what there is.
Status CheckTypes(std::string_view target, std::span<const DataType> types, const PlanOptions& options);

/// Is the zero point a code of the type? Errors: kBadConfig.
Status CheckZeroPoint(const QuantParams& params, DataType type);
/// Is the scale one of the type's? Errors: kBadConfig.
Status CheckScale(const QuantParams& params, ScaleType type);
/// Both for every tensor of the plan whose parameters an override gives. Errors: kBadConfig, with the tensor.
Status CheckParams(const QuantPlan& plan);

/// Warns of overrides of tensors that the plan leaves in float.
void WarnOfIdleOverrides(const PlanOptions& options, QuantPlan* plan);

}  // namespace preon
