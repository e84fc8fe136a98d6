#include "config/resolve/resolve_size.h"

namespace preon {

std::optional<LayerOverride> FewerBitsForSize(const SizeOptions& size, const std::optional<std::string>& target,
                                              const PlanOptions& plan, const TargetRegistry& targets) {
  if (!size.limit || plan.compat != Compat::kOff || !IsByte(plan.weight)) return std::nullopt;
  const DataType fewer = plan.weight == DataType::kInt8 ? DataType::kInt4 : DataType::kUInt4;
  const LayerOverride layer{.weight = TensorOverride{.type = fewer, .per_channel = plan.per_channel}};
  if (!target) return size.mixes ? std::optional(layer) : std::nullopt;
  PlanOptions mixed = plan;
  mixed.settings.layers.push_back(layer);
  const Result<const Target*> asked = targets.Find(*target);
  const bool takes = asked.ok() && (*asked)->QuantizesActivations() && !(*asked)->FollowsRuntime();
  return takes && (*asked)->Takes(mixed) ? std::optional(layer) : std::nullopt;
}

}  // namespace preon
