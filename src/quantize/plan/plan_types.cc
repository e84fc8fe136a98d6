#include "quantize/plan/plan_types.h"

#include <set>
#include <vector>

#include "base/spelling.h"

namespace preon {
namespace {

// Of activations or weights; the options' where there are none.
template <typename Plans>
std::vector<TensorType> TypesOfTensors(const Plans& plans, const TensorType& asked_for) {
  std::vector<TensorType> types;
  for (const auto& [tensor, plan] : plans) {
    types.push_back(TypeOf(plan.format, plan.block ? &*plan.block : nullptr));
  }
  if (types.empty()) types.push_back(asked_for);
  return types;
}

std::string JoinedTypes(const std::set<std::string>& names) {
  return JoinNames(std::vector(names.begin(), names.end()));
}

std::string TypeNamesOf(const std::vector<TensorType>& types) {
  std::set<std::string> names;
  for (const TensorType& type : types) names.insert(type.name());
  return JoinedTypes(names);
}

// "" where no type has fewer bits than what holds it.
std::string HoldersOf(const std::vector<TensorType>& types) {
  std::set<std::string> names;
  bool any = false;
  for (const TensorType& type : types) {
    any |= type.code_bits() > 0;
    names.insert(type.block() != nullptr ? type.name() : std::string(DataTypeName(type.type())));
  }
  return any ? JoinedTypes(names) : "";
}

}  // namespace

TensorType TypeOf(const IntFormat& format, const BlockPlan* block) {
  if (block != nullptr) return TensorType(block->spec);
  return format.bits > 0 ? TensorType::WithFewerBits(format.type, format.bits) : TensorType(format.type);
}

PlanTypes TypesOfPlan(const QuantPlan& plan, const TensorType& activation, const TensorType& weight,
                      bool has_given_scales) {
  std::vector<TensorType> activations = {activation}, weights = {weight};
  if (has_given_scales) {
    activations = TypesOfTensors(plan.activations, activation);
    weights = TypesOfTensors(plan.weights, weight);
  }
  return {
      .activation = TypeNamesOf(activations), .weight = TypeNamesOf(weights), .weight_stored_as = HoldersOf(weights)};
}

}  // namespace preon
