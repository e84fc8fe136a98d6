#include "pipeline/select_ranges.h"

#include <cmath>
#include <span>

#include "base/parallel.h"
#include "quantize/plan/op_traits.h"
#include "ranges/percentile_range.h"
#include "ranges/refine/choose_range.h"

namespace preon {
namespace {

struct Wanted {
  const std::string& tensor;
  const PlannedRange& planned;
  const TensorSketch& sketch;
  std::unique_ptr<RangeMethod> own;
};

const Range* Find(const ChosenRanges* chosen, const std::string& tensor, const PlannedRange& planned) {
  if (chosen == nullptr) return nullptr;
  const auto known = chosen->find(tensor);
  return known != chosen->end() && known->second.first == planned ? &known->second.second : nullptr;
}

Result<Range> CollectedRange(const TensorRanges& ranges, const RangeMethod& method, const Wanted& of) {
  const PlannedRange& planned = of.planned;
  if (const auto range = ranges.find(planned.observed); range != ranges.end())
    return RefineRange(method, range->second, of.sketch, planned.query, planned.context);
  return Error(ErrorId::kRangeMissing, "no values were observed; wanted at least one sample that reaches it");
}

// The tensor whose statistics are this one's: what only moves values shares those of its input.
const std::string& ObservedAs(const QuantPlan& plan, const std::string& tensor) {
  const auto activation = plan.activations.find(tensor);
  if (activation == plan.activations.end()) return tensor;
  const std::string& owner = activation->second.shares;
  return plan.activations.contains(owner) ? ObservedAs(plan, owner) : plan.ObservedFor(tensor);
}

// What is added, or chosen from: the last two inputs of an Add or Where.
std::span<const std::string> OperandsOf(const Node& node) { return std::span(node.inputs()).last(2); }

MaskRole FindMaskRole(const Graph& graph, const QuantPlan& plan, const std::string& tensor) {
  MaskRole role;
  if (!plan.improves_ranges) return role;
  if (FeedsSoftmaxWithMask(graph, tensor)) {
    for (const std::string& operand : OperandsOf(*graph.Producer(tensor))) {
      const Tensor* constant = graph.Initializer(operand);
      if (constant == nullptr)
        role.operands.push_back(ObservedAs(plan, operand));
      else if (const auto extremes = WeightRanges(*constant, -1); extremes.ok())
        role.constant = extremes->at(0);
    }
    return role;
  }
  if (graph.IsOutput(tensor)) return role;
  for (const Use& use : graph.Uses(tensor)) {
    if (use.captured || !use.node->Is("Add") || !FeedsSoftmaxWithMask(graph, use.node->output())) return {};
    if (!plan.activations.contains(use.node->output())) return {};  // a sum in float takes any mask
    role.beside.push_back(ObservedAs(plan, use.node->input(use.node->input(0) == tensor ? 1 : 0)));
  }
  return role;
}

// `range` without what a mask takes away.
Result<Range> WithoutMasked(const Range& range, const PlannedRange& planned,
                            const std::map<std::string, TensorSketch>& sketches) {
  const MaskRole& role = planned.mask;
  const IntFormat& format = planned.query.format;
  if ((role.operands.empty() && role.beside.empty()) || format.floating()) return range;
  std::vector<Range> others;
  for (const std::vector<std::string>* tensors : {&role.operands, &role.beside}) {
    for (const std::string& tensor : *tensors) {
      const auto sketch = sketches.find(tensor);
      if (sketch == sketches.end()) return range;  // float: nothing is known of it
      PREON_ASSIGN_OR_RETURN(others.emplace_back(), ObservedRange(sketch->second));
    }
  }
  if (role.constant) others.push_back(*role.constant);
  PREON_ASSIGN_OR_RETURN(const Range own, ObservedRange(sketches.at(planned.observed)));
  const auto bits = std::log2(static_cast<float>(format.q_max() - format.q_min() + 1));
  if (role.beside.empty())
    return others.size() == 2 ? RangeWithoutMasked(own, others[0], others[1], bits).value_or(range) : range;
  Range whole;
  for (const Range& scores : others) {
    const std::optional<Range> cut = RangeOfMask(own, scores, bits);
    if (!cut) return range;
    whole = {std::min(whole.min, cut->min), std::max(whole.max, cut->max)};
  }
  return whole;
}

}  // namespace

PlannedRanges PlanRanges(const Graph& graph, const QuantPlan& plan) {
  const std::vector<std::string> tensors = plan.RangeTensors();
  const TensorContexts contexts = FindTensorContexts(graph, {tensors.begin(), tensors.end()});
  PlannedRanges ranges;
  for (const std::string& tensor : tensors) {
    const ActivationPlan& activation = plan.activations.at(tensor);
    PlannedRange& range = ranges[tensor] = {.observed = plan.ObservedFor(tensor),
                                            .query = {*activation.RangedFormat(), activation.scale_type},
                                            .method = activation.method};
    if (const auto known = contexts.find(tensor); known != contexts.end()) range.context = known->second;
    range.mask = FindMaskRole(graph, plan, tensor);
    // The values behind the function are those of the tensor itself.
    if (range.observed != tensor) range.context.read_activation = ReadActivation::kNone;
  }
  return ranges;
}

std::set<std::string> ObservedFor(const Graph& graph, const QuantPlan& plan, const std::vector<std::string>& ranges) {
  std::set<std::string> observed;
  for (const std::string& tensor : ranges) {
    observed.insert(plan.ObservedFor(tensor));
    const MaskRole role = FindMaskRole(graph, plan, tensor);  // its tensors may be without codes
    for (const std::vector<std::string>* tensors : {&role.operands, &role.beside})
      for (const std::string& other : *tensors)
        if (graph.Initializer(other) == nullptr) observed.insert(other);
  }
  return observed;
}

void PlanAllTensors(const Graph& graph, const RangeQuery& query, QuantPlan& plan) {
  const std::map<std::string, ActivationPlan> planned = std::exchange(plan.activations, {});
  const auto add = [&](const std::string& tensor) {
    if (graph.TypeOf(tensor) != DataType::kFloat) return;
    ActivationPlan& activation = plan.activations[tensor];
    const auto own = planned.find(tensor);
    if (own != planned.end() && !own->second.block)
      activation = {.format = own->second.format, .scale_type = own->second.scale_type, .method = own->second.method};
    else
      activation = {.format = query.format, .scale_type = query.scale_type};
  };
  for (const std::string& input : graph.inputs()) add(input);
  for (const auto& node : graph.nodes()) {
    for (const std::string& output : node->outputs()) add(output);
  }
}

Result<TensorRanges> SelectRanges(const PlannedRanges& planned, const RangeMethod& method, const PlanInputs& inputs,
                                  const RunContext& context) {
  TensorRanges selected;
  std::vector<Wanted> wanted;
  for (const auto& [tensor, range] : planned) {
    if (inputs.saved != nullptr) {
      if (const auto saved = inputs.saved->ranges.find(tensor); saved != inputs.saved->ranges.end()) {
        selected[tensor] = saved->second;
        continue;
      }
    }
    if (const Range* chosen = Find(inputs.chosen, tensor, range)) {
      selected[tensor] = *chosen;
      continue;
    }
    const auto sketch = inputs.data.tensors.find(range.observed);
    if (sketch == inputs.data.tensors.end()) {
      return Error(ErrorId::kRangeMissing, tensor,
                   ": no statistics; wanted those of a calibration with the same options");
    }
    Wanted& one = wanted.emplace_back(Wanted{tensor, range, sketch->second, nullptr});
    // What a method has collected is also there for tensors that name it.
    const bool is_collected = inputs.collected_ranges != nullptr && range.method == method.name();
    if (!range.method.empty() && !is_collected) {
      PREON_ASSIGN_OR_RETURN(one.own, inputs.own_method(range.method));
    }
  }
  std::vector<Result<Range>> ranges(wanted.size(), Range{});
  OnThreads(static_cast<size_t>(context.ThreadCount()))(wanted.size(), [&](size_t i) {
    const Wanted& of = wanted[i];
    ranges[i] = inputs.collected_ranges != nullptr && !of.own
                    ? CollectedRange(*inputs.collected_ranges, method, of)
                    : ChooseRange(of.own ? *of.own : method, of.sketch, of.planned.query, of.planned.context);
    if (ranges[i].ok()) ranges[i] = WithoutMasked(*ranges[i], of.planned, inputs.data.tensors);
  });
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!ranges[i].ok()) return std::move(ranges[i]).status().WithContext(wanted[i].tensor);
    selected[wanted[i].tensor] = *ranges[i];
    if (inputs.chosen != nullptr) (*inputs.chosen)[wanted[i].tensor] = {wanted[i].planned, *ranges[i]};
  }
  return selected;
}

}  // namespace preon
