// What a user sets for single tensors, and which types a target can give them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// Axes of a constant along which its operator would have scales; -1 where it has none.
struct ScaleAxes {
  int channel = -1;
  int reduced = -1;  ///< of blocks: what the operator sums over
};
/// One scale, one per channel, or one per `block_size` (0 = no blocks): where the constant has the axis for it, else
/// what it has the axis for.
void SetGranularity(bool per_channel, int64_t block_size, const ScaleAxes& axes, WeightPlan& weight);

/// `over`, and where it has no setting `under`, setting by setting: a range and a scale exclude each other, and
/// settings of integers mean nothing to floating types and blocks.
TensorOverride Merged(const TensorOverride& over, const TensorOverride& under);

/// Puts the override's settings over those of the plan. One range or scale for a weight means one for all its channels.
void ApplyOverride(const TensorOverride& wanted, ActivationPlan& activation);
void ApplyOverride(const TensorOverride& wanted, const ScaleAxes& axes, WeightPlan& weight);

/// Are --activation, --weight and the types of layers and overrides among `types`, those that the target's Q/DQ nodes
/// can have? Errors: kNotYetSupported, with the option or tensor and what there is.
Status CheckTypes(std::string_view target, std::span<const DataType> types, const TensorType& activation,
                  const TensorType& weight, const TensorSettings& settings);

/// Warnings of the user's settings for tensors that the plan leaves in float.
std::vector<std::string> IgnoredTensorSettings(const std::map<std::string, TensorOverride>& overrides,
                                               const std::map<std::string, TensorOverride>& base_overrides,
                                               const QuantPlan& plan);

}  // namespace preon
