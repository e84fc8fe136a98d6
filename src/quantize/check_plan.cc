#include "quantize/check_plan.h"

#include "formats/combination.h"

namespace preon {
namespace {

Status CheckScale(const QuantParams& params, ScaleType type) {
  if (IsScaleOf(params.scale, type)) return Status::Ok();
  return Error(ErrorId::kBadConfig, "scale: got ", params.scale, ", wanted one of scale type ", ScaleTypeName(type),
               " such as ", RoundScale(params.scale, type), ", or another scale_type for this tensor");
}

// What an override gives.
template <typename Planned>
Status CheckParams(const Planned& planned, bool has_range) {
  if (planned.block && (planned.params || has_range)) {
    return Error(ErrorId::kBadConfig, "got a range or a scale, but blocks have exponents of their own");
  }
  if (!planned.params) return Status::Ok();
  if (planned.format.floating() && planned.params->zero_point != 0) {
    return Error(ErrorId::kBadConfig, "zero_point: got ", planned.params->zero_point, ", wanted 0, which is the only one of ",
                 DataTypeName(planned.format.type));
  }
  PREON_RETURN_IF_ERROR(CheckScale(*planned.params, planned.scale_type));
  return CheckZeroPoint(*planned.params, planned.format.type);
}

template <typename Planned>
Status CheckFormat(const Planned& planned, Granularity granularity) {
  const TensorType type = planned.block ? TensorType(planned.block->spec) : TensorType(planned.format.type);
  const ScaleType scales = planned.block || planned.params ? ScaleType::kFloat32 : planned.scale_type;
  return CheckCombination(type, scales, granularity, planned.block || planned.format.symmetric);
}

}  // namespace

Status CheckZeroPoint(const QuantParams& params, DataType type) {
  const IntFormat all_codes{type};
  if (params.zero_point >= all_codes.q_min() && params.zero_point <= all_codes.q_max()) return Status::Ok();
  return Error(ErrorId::kBadConfig, "zero_point: got ", params.zero_point, ", wanted an integer from ",
               all_codes.q_min(), " to ", all_codes.q_max(), " (", DataTypeName(type), ")");
}

Status CheckPlan(const QuantPlan& plan) {
  for (const auto& [tensor, activation] : plan.activations) {
    PREON_RETURN_IF_ERROR(CheckParams(activation, activation.source == RangeSource::kFixed).WithContext("overrides: ", tensor));
    PREON_RETURN_IF_ERROR(CheckFormat(activation, Granularity::kPerTensor).WithContext(tensor));
  }
  for (const auto& [tensor, weight] : plan.weights) {
    PREON_RETURN_IF_ERROR(CheckParams(weight, weight.range.has_value()).WithContext("overrides: ", tensor));
    const Granularity granularity = weight.block_size > 0 ? Granularity::kPerBlock
                                    : weight.axis >= 0    ? Granularity::kPerAxis
                                                          : Granularity::kPerTensor;
    PREON_RETURN_IF_ERROR(CheckFormat(weight, granularity).WithContext(tensor));
  }
  return Status::Ok();
}

}  // namespace preon
