#include "config/resolve/as_quark.h"

namespace preon {

Status LeaveRoundingToOperator(const BlockAttributes& given, TensorType& type) {
  const bool bfp16 = type.block() != nullptr && type.block()->family == BlockSpec::Family::kBfp;
  if (!bfp16 || given.contains("rounding_mode")) return Status::Ok();
  PREON_ASSIGN_OR_RETURN(const BlockSpec spec, WithAttributes(*type.block(), {{"rounding_mode", "0"}}));
  type = TensorType(spec);
  return Status::Ok();
}

}  // namespace preon
