#include "quantize/plan.h"

#include <algorithm>
#include <array>

#include "base/spelling.h"

namespace preon {
namespace {

constexpr std::array kWeightForms = {std::pair(WeightForm::kPacked, "packed"), std::pair(WeightForm::kFolded, "folded"),
                                     std::pair(WeightForm::kOperators, "operators")};

}  // namespace

Result<WeightForm> ParseWeightForm(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [form, known] : kWeightForms) {
    if (ToLower(name) == known) return form;
    names.emplace_back(known);
  }
  return Error(ErrorId::kUnknownOption, "unknown form '", name, "'", DidYouMean(name, names), " (known: ", JoinNames(names), ")");
}

std::string_view WeightFormName(WeightForm form) {
  return std::ranges::find(kWeightForms, form, &std::pair<WeightForm, const char*>::first)->second;
}

std::string_view FloatReasonName(FloatReason reason) {
  switch (reason) {
    case FloatReason::kNone:
      return "integer";
    case FloatReason::kNoKernel:
      return "no integer kernel";
    case FloatReason::kExcluded:
      return "excluded";
    case FloatReason::kNotConstant:
      return "operand not constant";
    case FloatReason::kType:
      return "element type";
    case FloatReason::kAttributes:
      return "attributes";
    case FloatReason::kNoGain:
      return "no gain";
    case FloatReason::kTail:
      return "output tail";
    case FloatReason::kMask:
      return "attention mask";
    case FloatReason::kAccuracy:
      return "accuracy";
    case FloatReason::kSubgraph:
      return "sub-graph";
    case FloatReason::kNotReached:
      return "not reached";
    case FloatReason::kNotFused:
      return "not fused";
  }
  return "unknown";
}

std::string_view LeftFloatDetail(FloatReason reason) {
  switch (reason) {
    case FloatReason::kNotReached:
      return "no calibration sample runs it";
    case FloatReason::kAccuracy:
      return "reads or writes channels that the steps of their tensor would drown; tried, and nearer to float this way";
    case FloatReason::kNoGain:
      return "too small: Q and DQ around it cost more than integers save";
    default:
      return "the runtime computes it in float, codes or not";
  }
}

size_t QuantPlan::CountWeights() const {
  size_t count = weights.size();
  for (const QuantPlan& body : bodies) count += body.CountWeights();
  return count;
}

std::string QuantPlan::NameInResult(const NodeDecision& decision) const {
  if (decision.reason != FloatReason::kNone) return decision.node;
  if (!nbits.nodes.empty()) return nbits.NameInResult(decision.node);
  return !is_dynamic() ? decision.node : DynamicPlan::NameInResult(decision.node);
}

const ConvertPlan* ActivationPlan::ConvertFor(std::string_view node) const {
  const auto reads = [&](const ConvertPlan& convert) { return convert.nodes.empty() || convert.nodes.contains(std::string(node)); };
  const auto convert = std::ranges::find_if(converts, reads);
  return convert == converts.end() ? nullptr : &*convert;
}

const IntFormat* ActivationPlan::RangedFormat() const {
  if (shares.empty() && !params && !block) return &format;
  const auto needs_range = [](const ConvertPlan& convert) { return !convert.range.complete() && !convert.params && !convert.block; };
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
  std::set<std::string> tensors = witnesses;
  for (const std::string& tensor : RangeTensors()) tensors.insert(ObservedFor(tensor));
  return {tensors.begin(), tensors.end()};
}

}  // namespace preon
