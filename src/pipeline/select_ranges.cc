#include "pipeline/select_ranges.h"

#include "base/parallel.h"
#include "quantize/plan/output_tensors.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/write/bias_correction.h"
#include "quantize/write/channel_scales.h"
#include "ranges/refine/activation_aware_range.h"
#include "ranges/refine/full_range.h"
#include "ranges/refine/read_activation.h"

namespace preon {
namespace {

struct Wanted {
  const std::string& tensor;
  const std::string& observed;  // whose statistics are its own
  const TensorSketch& sketch;
  const ActivationPlan& activation;
  std::unique_ptr<RangeMethod> own;
};

Result<Range> Collected(const std::map<std::string, Range>& ranges, const std::string& tensor) {
  const auto range = ranges.find(tensor);
  if (range != ranges.end()) return range->second;
  return Error(ErrorId::kRangeMissing, "no values were observed; wanted at least one sample that reaches it");
}

}  // namespace

Result<PlanStatistics> StatisticsOf(const PreparedModel& prepared, const CalibrationData& data,
                                    const RangeMethod& method, const Job& job) {
  const QuantPlan& plan = prepared.plan;
  // A method that was asked for by name gives its own ranges.
  const bool automatic = (*job.builtins.methods.Find(job.options.ranges.method))->name() == "auto";
  PlanStatistics statistics;
  const PlanStatistics none;
  const PlanStatistics& saved = job.saved ? job.saved->statistics : none;
  std::vector<Wanted> wanted;
  const std::vector<std::string> tensors = plan.RangeTensors();
  for (const std::string& tensor : tensors) {
    if (const auto range = saved.ranges.find(tensor); range != saved.ranges.end()) {
      statistics.ranges[tensor] = range->second;
      continue;
    }
    const std::string& observed = plan.ObservedFor(tensor);
    const auto sketch = data.tensors.find(observed);
    if (sketch == data.tensors.end()) {
      return Error(ErrorId::kRangeMissing, tensor,
                   ": no statistics; wanted those of a calibration with the same options");
    }
    const ActivationPlan& activation = plan.activations.at(tensor);
    Wanted& range = wanted.emplace_back(Wanted{tensor, observed, sketch->second, activation});
    if (!activation.method.empty()) {
      PREON_ASSIGN_OR_RETURN(range.own, MethodOfItsOwn(job.options, activation.method, job.builtins));
    }
  }
  const std::set<std::string> whole =
      automatic ? FindOutputTensors(prepared.model.graph, plan) : std::set<std::string>();
  std::vector<Result<Range>> ranges(wanted.size(), Range{});
  OnThreads(static_cast<size_t>(job.context.ThreadCount()))(wanted.size(), [&](size_t i) {
    const auto& [tensor, observed, sketch, activation, own] = wanted[i];
    const RangeQuery query{.format = *activation.RangedFormat(), .scale_type = activation.scale_type};
    ranges[i] =
        job.collected && !own ? Collected(*job.collected, observed) : (own ? *own : method).Choose(sketch, query);
    if (ranges[i].ok() && !own && whole.contains(tensor)) ranges[i] = FullRangeWhereFine(sketch, *ranges[i], query);
    const std::optional<ElementFunction> through = FindReadActivation(prepared.model.graph, tensor);
    if (ranges[i].ok() && automatic && !own && through && observed == tensor)
      ranges[i] = ActivationAwareRange(through->of, through->flat_on_the_right, sketch, *ranges[i], query);
  });
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!ranges[i].ok()) return std::move(ranges[i]).status().WithContext(wanted[i].tensor);
    statistics.ranges[wanted[i].tensor] = *ranges[i];
  }
  if (job.choices.plan.compat != Compat::kOff) return statistics;  // other tools do neither of these
  if (job.options.algorithms.bias_correction) {
    for (const auto& [input, observed] : MeanSources(prepared.model.graph, plan)) {
      const auto sketch = data.tensors.find(observed);
      if (const auto means = saved.channel_means.find(input); means != saved.channel_means.end())
        statistics.channel_means[input] = means->second;
      else if (sketch != data.tensors.end() && sketch->second.count() > 0)
        statistics.channel_means[input] = sketch->second.channel_means();
    }
  }
  if (job.options.algorithms.channel_scales && job.choices.target->FollowsRuntime()) {
    for (const std::string& tensor : ScalableTensors(prepared.model.graph, plan)) {
      if (const auto extremes = saved.channel_extremes.find(tensor); extremes != saved.channel_extremes.end()) {
        statistics.channel_extremes[tensor] = extremes->second;
        continue;
      }
      const auto found = data.tensors.find(tensor);
      if (found == data.tensors.end() || found->second.config().channels == 0) continue;
      const TensorSketch& sketch = found->second;
      statistics.channel_extremes[tensor] = {{sketch.channel_min().begin(), sketch.channel_min().end()},
                                             {sketch.channel_max().begin(), sketch.channel_max().end()}};
    }
  }
  return statistics;
}

}  // namespace preon
