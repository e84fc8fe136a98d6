#include "quantize/plan/plan_options.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "quantize/plan/named_values.h"

namespace preon {
namespace {

constexpr std::array kWeightForms = {std::pair(WeightForm::kPacked, "packed"), std::pair(WeightForm::kFolded, "folded"),
                                     std::pair(WeightForm::kOperators, "operators")};

}  // namespace

Result<WeightForm> ParseWeightForm(std::string_view name) { return ValueOfName(kWeightForms, "form", name); }

std::string_view WeightFormName(WeightForm form) { return NameOfValue(kWeightForms, form); }

namespace {

// Of constant or changeable settings.
template <typename Override>
std::vector<Override*> AllOf(auto& settings) {
  std::vector<Override*> all;
  for (auto& layer : settings.layers) {
    for (auto* role : {&layer.input, &layer.weight, &layer.bias, &layer.output})
      if (*role) all.push_back(&**role);
  }
  for (auto& [tensor, wanted] : settings.base_overrides) all.push_back(&wanted);
  for (auto& [tensor, wanted] : settings.overrides) all.push_back(&wanted);
  return all;
}

}  // namespace

std::vector<TensorOverride*> TensorSettings::All() { return AllOf<TensorOverride>(*this); }
std::vector<const TensorOverride*> TensorSettings::All() const { return AllOf<const TensorOverride>(*this); }

std::vector<TensorType*> TensorSettings::Types() {
  std::vector<TensorType*> types;
  for (TensorOverride* wanted : All()) {
    if (wanted->type) types.push_back(&*wanted->type);
    for (ConvertOverride& convert : wanted->converts) types.push_back(&convert.type);
  }
  return types;
}

std::vector<TensorType> TensorSettings::Types() const {
  TensorSettings copy = *this;
  std::vector<TensorType> types;
  for (const TensorType* type : copy.Types()) types.push_back(*type);
  return types;
}

std::vector<TensorType*> PlanOptions::Types() {
  std::vector<TensorType*> types = {&activation, &weight};
  for (TensorSettings* part : {&settings, &possible})
    for (TensorType* type : part->Types()) types.push_back(type);
  return types;
}

std::vector<TensorType> PlanOptions::Types() const {
  std::vector<TensorType> types = {activation, weight};
  for (const TensorSettings* part : {&settings, &possible})
    for (const TensorType& type : part->Types()) types.push_back(type);
  return types;
}

WeightCodes PlanOptions::weight_codes() const {
  return {.type = weight.type(),
          .reduce_range = op_list.reduce_range,
          .fits_pairs = !vnni && compat == Compat::kOff,
          .per_channel = per_channel,
          .scale_type = scale_type_of_weights(),
          .rule = weight_rule};
}

void PlanOptions::ExpectGivenTypes() {
  for (const auto& [tensor, codes] : given_scales) {
    if (codes.type && codes.type->bits() < 8) possible.overrides[tensor].type = codes.type;
  }
}

PlanNeeds PlanOptions::Needs() const {
  const auto has_channels = [](const TensorOverride* wanted) {
    return wanted->per_channel.value_or(wanted->axis.value_or(-1) >= 0);
  };
  return {.types = Types(),
          .channel_scales = (per_channel && HasScale(weight, scaled.weight)) ||
                            std::ranges::any_of(settings.All(), has_channels) ||
                            std::ranges::any_of(possible.All(), has_channels),
          .block_scales = HasBlockSize(),
          .packed_blocks = weight.block() != nullptr && weight_form == WeightForm::kPacked};
}

bool PlanOptions::HasBlockSize() const {
  const auto has = [](const TensorOverride* wanted) { return wanted->block_size.value_or(0) > 0; };
  return block_size || std::ranges::any_of(settings.All(), has) || std::ranges::any_of(possible.All(), has);
}

}  // namespace preon
