#include "quantize/overrides.h"

#include <algorithm>
#include <string>

#include "base/spelling.h"

namespace preon {
namespace {

Status CheckType(std::string_view target, std::span<const DataType> types, const TensorType& type) {
  if (std::ranges::find(types, type.type()) != types.end()) return Status::Ok();
  std::vector<std::string> names;
  for (const DataType known : types) names.emplace_back(DataTypeName(known));
  return Error(ErrorId::kNotYetSupported, "type '", type.name(), "' is not in this version for target ", target,
               "; it has: ", JoinNames(names));
}

// Floating types and blocks have their zero in the middle.
template <typename Plan>
void SetType(const TensorType& type, Plan& plan) {
  plan.block.reset();
  if (type.block() != nullptr) plan.block = BlockPlan{*type.block()};
  plan.format.type = type.type();
  if (plan.format.floating()) plan.format.symmetric = true;
}

}  // namespace

void ApplyOverride(const TensorOverride& wanted, ActivationPlan& activation) {
  if (wanted.type) SetType(*wanted.type, activation);
  if (wanted.symmetric) activation.format.symmetric = *wanted.symmetric;
  if (wanted.scale_type) activation.scale_type = *wanted.scale_type;
  if (wanted.range) {
    activation.source = RangeSource::kFixed;
    activation.fixed = *wanted.range;
  }
  activation.params = wanted.params;
}

void ApplyOverride(const TensorOverride& wanted, WeightPlan& weight) {
  if (wanted.type) SetType(*wanted.type, weight);
  if (wanted.symmetric) weight.format.symmetric = *wanted.symmetric;
  if (wanted.scale_type) weight.scale_type = *wanted.scale_type;
  weight.range = wanted.range;
  weight.params = wanted.params;
  if (weight.range || weight.params) weight.axis = -1;
}

Status CheckTypes(std::string_view target, std::span<const DataType> types, const PlanOptions& options) {
  PREON_RETURN_IF_ERROR(CheckType(target, types, options.activation).WithContext("--activation"));
  PREON_RETURN_IF_ERROR(CheckType(target, types, options.weight).WithContext("--weight"));
  for (const auto& [tensor, wanted] : options.overrides) {
    if (wanted.type) PREON_RETURN_IF_ERROR(CheckType(target, types, *wanted.type).WithContext("overrides: ", tensor));
  }
  return Status::Ok();
}

Status CheckZeroPoint(const QuantParams& params, DataType type) {
  const IntFormat all_codes{type};
  if (params.zero_point >= all_codes.q_min() && params.zero_point <= all_codes.q_max()) return Status::Ok();
  return Error(ErrorId::kBadConfig, "zero_point: got ", params.zero_point, ", wanted an integer from ",
               all_codes.q_min(), " to ", all_codes.q_max(), " (", DataTypeName(type), ")");
}

Status CheckScale(const QuantParams& params, ScaleType type) {
  if (IsScaleOf(params.scale, type)) return Status::Ok();
  return Error(ErrorId::kBadConfig, "scale: got ", params.scale, ", wanted one of scale type ", ScaleTypeName(type),
               " such as ", RoundScale(params.scale, type), ", or another scale_type for this tensor");
}

Status CheckParams(const QuantPlan& plan) {
  const auto check = [](const std::string& tensor, const auto& planned, bool has_range) {
    if (planned.block && (planned.params || has_range)) {
      return Error(ErrorId::kBadConfig, "overrides: ", tensor, ": got a range or a scale, but blocks have exponents of their own");
    }
    if (!planned.params) return Status::Ok();
    if (planned.format.floating() && planned.params->zero_point != 0) {
      return Error(ErrorId::kBadConfig, "overrides: ", tensor, ": zero_point: got ", planned.params->zero_point,
                   ", wanted 0, which is the only one of ", DataTypeName(planned.format.type));
    }
    PREON_RETURN_IF_ERROR(CheckScale(*planned.params, planned.scale_type).WithContext("overrides: ", tensor));
    return CheckZeroPoint(*planned.params, planned.format.type).WithContext("overrides: ", tensor);
  };
  for (const auto& [tensor, activation] : plan.activations) {
    PREON_RETURN_IF_ERROR(check(tensor, activation, activation.source == RangeSource::kFixed));
  }
  for (const auto& [tensor, weight] : plan.weights) {
    PREON_RETURN_IF_ERROR(check(tensor, weight, weight.range.has_value()));
  }
  return Status::Ok();
}

void WarnOfIdleOverrides(const PlanOptions& options, QuantPlan* plan) {
  for (const auto& [tensor, wanted] : options.overrides) {
    if (plan->activations.contains(tensor) || plan->weights.contains(tensor)) continue;
    plan->warnings.push_back(StrCat("overrides: tensor '", tensor, "' stays float, so its override has no effect"));
  }
}

}  // namespace preon
