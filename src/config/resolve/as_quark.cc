#include "config/resolve/as_quark.h"

namespace preon {

Status LeaveRoundingToOperator(const BlockAttributes& given, TensorType& type) {
  const bool bfp16 = type.block() != nullptr && type.block()->family == BlockSpec::Family::kBfp;
  if (!bfp16 || given.contains("rounding_mode")) return Status::Ok();
  PREON_ASSIGN_OR_RETURN(const BlockSpec spec, WithAttributes(*type.block(), {{"rounding_mode", "0"}}));
  type = TensorType(spec);
  return Status::Ok();
}

void SettleSymmetry(std::optional<bool> activation, std::optional<bool> weight, PrecisionOptions* precision) {
  const auto settle = [](std::optional<bool> symmetric, std::optional<TensorOverride>& wanted) {
    if (symmetric && wanted && wanted->symmetric) wanted->symmetric = symmetric;
  };
  for (std::vector<LayerOverride>& form : precision->forms) {
    for (LayerOverride& layer : form) {
      settle(activation, layer.input);
      settle(activation, layer.output);
      settle(weight, layer.weight);
      settle(weight, layer.bias);
    }
  }
}

}  // namespace preon
