#include "quantize/plan/quant_plan.h"

#include <algorithm>

namespace preon {

size_t QuantPlan::CountWeights() const {
  size_t count = weights.size() + dynamic.weights.size();
  for (const QuantPlan& body : bodies) count += body.CountWeights();
  return count;
}

bool QuantPlan::NeedsBetterCodes() const {
  const auto has_few = [](const auto& weight) {
    return HasFewCodes(TensorType::WithFewerBits(weight.second.format.type, weight.second.format.bits));
  };
  const auto is_byte = [](const auto& weight) { return IsByte(weight.second.format.type) && !weight.second.block; };
  const auto is_finer = [](const auto& activation) {
    const DataType type = activation.second.format.type;
    return !activation.second.block && DataTypeBits(type) > 8;
  };
  if (!nbits.nodes.empty()) return nbits.options.bits < 8;
  return positions.has_value() || std::ranges::any_of(weights, has_few) ||
         (std::ranges::any_of(weights, is_byte) && std::ranges::all_of(activations, is_finer));
}

std::string QuantPlan::NameInResult(const NodeDecision& decision) const {
  if (decision.reason != FloatReason::kNone) return decision.node;
  if (!nbits.nodes.empty()) return nbits.NameInResult(decision.node);
  return decision.dynamic ? DynamicPlan::NameInResult(decision.node) : decision.node;
}

const ConvertPlan* ActivationPlan::ConvertFor(std::string_view node) const {
  const auto reads = [&](const ConvertPlan& convert) {
    return convert.nodes.empty() || convert.nodes.contains(std::string(node));
  };
  const auto convert = std::ranges::find_if(converts, reads);
  return convert == converts.end() ? nullptr : &*convert;
}

const IntFormat* ActivationPlan::RangedFormat() const {
  if (shares.empty() && !params && !block) return &format;
  const auto needs_range = [](const ConvertPlan& convert) {
    return !convert.range.complete() && !convert.params && !convert.block;
  };
  const auto convert = std::ranges::find_if(converts, needs_range);
  return convert == converts.end() ? nullptr : &convert->format;
}

std::vector<std::string> QuantPlan::RangeTensors() const {
  std::vector<std::string> tensors;
  for (const auto& [tensor, activation] : activations) {
    if (activation.RangedFormat() != nullptr && activation.source == RangeSource::kObserved) tensors.push_back(tensor);
  }
  return tensors;
}

const std::string& QuantPlan::ObservedFor(const std::string& range_tensor) const {
  const auto activation = activations.find(range_tensor);
  return activation->second.range_of.empty() ? activation->first : activation->second.range_of;
}

std::vector<std::string> QuantPlan::ObservedTensors() const {
  std::set<std::string> tensors = branch_probes;
  for (const std::string& tensor : RangeTensors()) tensors.insert(ObservedFor(tensor));
  return {tensors.begin(), tensors.end()};
}

std::set<std::string_view> IntegerNodes(const QuantPlan& plan) {
  std::set<std::string_view> nodes;
  for (const NodeDecision& decision : plan.nodes)
    if (decision.reason == FloatReason::kNone) nodes.insert(decision.node);
  return nodes;
}

}  // namespace preon
