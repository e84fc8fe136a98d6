#include "pipeline/select_ranges.h"

#include <set>

#include "base/parallel.h"
#include "ranges/refine/choose_range.h"

namespace preon {
namespace {

struct Wanted {
  const std::string& tensor;
  const std::string& observed;  // whose statistics are its own
  const TensorSketch& sketch;
  RangeQuery query;
  TensorContext context;
  std::unique_ptr<RangeMethod> own;
};

Result<Range> CollectedRange(const TensorRanges& ranges, const std::string& observed) {
  const auto range = ranges.find(observed);
  if (range != ranges.end()) return range->second;
  return Error(ErrorId::kRangeMissing, "no values were observed; wanted at least one sample that reaches it");
}

}  // namespace

Result<TensorRanges> SelectRanges(const Graph& graph, const QuantPlan& plan, const RangeMethod& method,
                                  const PlanInputs& inputs, const RunContext& context) {
  TensorRanges selected;
  const std::vector<std::string> tensors = plan.RangeTensors();
  const TensorContexts contexts = FindTensorContexts(graph, {tensors.begin(), tensors.end()});
  std::vector<Wanted> wanted;
  for (const std::string& tensor : tensors) {
    if (inputs.saved != nullptr) {
      if (const auto range = inputs.saved->ranges.find(tensor); range != inputs.saved->ranges.end()) {
        selected[tensor] = range->second;
        continue;
      }
    }
    const std::string& observed = plan.ObservedFor(tensor);
    const auto sketch = inputs.data.tensors.find(observed);
    if (sketch == inputs.data.tensors.end()) {
      return Error(ErrorId::kRangeMissing, tensor,
                   ": no statistics; wanted those of a calibration with the same options");
    }
    const ActivationPlan& activation = plan.activations.at(tensor);
    Wanted& range = wanted.emplace_back(
        Wanted{tensor, observed, sketch->second, {*activation.RangedFormat(), activation.scale_type}});
    if (const auto known = contexts.find(tensor); known != contexts.end()) range.context = known->second;
    // The values behind the function are those of the tensor itself.
    if (observed != tensor) range.context.read_activation = ReadActivation::kNone;
    if (!activation.method.empty()) {
      PREON_ASSIGN_OR_RETURN(range.own, inputs.own_method(activation.method));
    }
  }
  std::vector<Result<Range>> ranges(wanted.size(), Range{});
  OnThreads(static_cast<size_t>(context.ThreadCount()))(wanted.size(), [&](size_t i) {
    const Wanted& of = wanted[i];
    ranges[i] = inputs.collected_ranges != nullptr && !of.own
                    ? CollectedRange(*inputs.collected_ranges, of.observed)
                    : ChooseRange(of.own ? *of.own : method, of.sketch, of.query, of.context);
  });
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!ranges[i].ok()) return std::move(ranges[i]).status().WithContext(wanted[i].tensor);
    selected[wanted[i].tensor] = *ranges[i];
  }
  return selected;
}

}  // namespace preon
