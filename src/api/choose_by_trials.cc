#include "api/choose_by_trials.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "pipeline/gain.h"
#include "pipeline/improve_codes.h"
#include "report/debug/debug_lines.h"
#include "search/accuracy_fallback.h"
#include "search/choose_float_weights.h"
#include "search/choose_method.h"
#include "search/fit_size.h"
#include "search/float_head.h"
#include "search/mixed_precision.h"

namespace preon {
namespace {

// The method that --method auto stands for, and layers left in float where no method is good enough.
Status ChooseMethodAndFloat(PlannedModel& prepared, RunInputs& run, const PlanInputs& inputs,
                            const FallbackPlanner& fallback, Trials& trials, TrialResults& result) {
  RangesByMethod known;
  std::optional<MethodRace> race;
  const auto begin_race = [&] { race.emplace(prepared, inputs, trials, run.builtins.methods, known); };
  begin_race();
  PREON_RETURN_IF_ERROR(race->RunFirst());
  const bool may_leave_float = run.choices.target->FollowsRuntime();
  // Layers that stay float change so poor a result that the other methods are only worth a trial behind that.
  if (!may_leave_float || (race->best() && race->best()->sqnr_db >= kPoorDb)) PREON_RETURN_IF_ERROR(race->RunAll());
  if (race->best() && may_leave_float) {
    const size_t before = prepared.left_float.size();
    PlanInputs with_ranges = inputs;
    with_ranges.chosen = race->chosen().ranges;
    PREON_ASSIGN_OR_RETURN(result.fallback, FallBackForAccuracy(prepared, *race->chosen().method, with_ranges, fallback,
                                                                trials, {*race->best(), run.options.budget}));
    if (prepared.left_float.size() > before) begin_race();
  }
  PREON_RETURN_IF_ERROR(race->RunAll());
  if (race->best() && run.choices.target->NeedsBetterCodes() && prepared.plan.compat == Compat::kOff &&
      race->best()->sqnr_db < kHopelessDb) {
    const size_t before = prepared.left_float.size();
    PREON_RETURN_IF_ERROR(LeaveHead(prepared, fallback));
    if (prepared.left_float.size() > before) {
      begin_race();
      PREON_RETURN_IF_ERROR(race->RunAll());
    }
  }
  if (race->best() && may_leave_float && !run.choices.plan.exclude.weights) {
    PREON_ASSIGN_OR_RETURN(run.choices.plan.exclude.weights, ChooseFloatWeights(prepared, trials, *race->best()));
    if (run.choices.plan.exclude.weights) prepared.plan.float_weights = *run.choices.plan.exclude.weights;
  }
  if (race->IsClose()) {
    const CodesToImprove codes{{prepared.model, {}}, prepared.plan, inputs.data.sample_count()};
    PREON_ASSIGN_OR_RETURN(const bool improves, WillImproveCodes(codes, inputs.algorithms, run.samples));
    if (improves) PREON_RETURN_IF_ERROR(race->SettleByActivations());
  }
  ChosenMethod chosen = std::move(*race).Take();
  if (chosen.method != nullptr) run.choices.method = std::move(chosen.method);
  result.candidates = std::move(chosen.candidates);
  run.context.DebugLines([&] { return LinesOfTrials(result.candidates, result.fallback); });
  return Status::Ok();
}

}  // namespace

Result<TrialResults> ChooseByTrials(PlannedModel& prepared, RunInputs& run, const PlanInputs& inputs,
                                    const FallbackPlanner& fallback, const TrialTask& task) {
  TrialResults result;
  Trials trials(task.samples, run.options.resources.memory, run.context);
  PREON_RETURN_IF_ERROR(trials.CloseLoop(prepared.model));
  if (task.chooses_method) PREON_RETURN_IF_ERROR(ChooseMethodAndFloat(prepared, run, inputs, fallback, trials, result));
  if (run.choices.fewer_bits) {
    const SizeGoal goal{BytesOf(*run.options.size.limit, task.float_bytes), *run.choices.fewer_bits};
    PREON_ASSIGN_OR_RETURN(SizeChoice fitting, FitSize(prepared, *run.choices.method, inputs, fallback, trials, goal));
    if (!fitting.layers.empty()) result.size_fit = std::move(fitting.fit);
    std::ranges::move(fitting.layers, std::back_inserter(run.choices.plan.settings.layers));
  }
  if (!run.choices.precision) return result;
  PREON_ASSIGN_OR_RETURN(PrecisionChoice mixed,
                         MixPrecision(prepared, *run.choices.method, inputs, fallback, trials, *run.choices.precision));
  std::vector<LayerOverride>& layers = run.choices.plan.settings.layers;
  layers.insert(layers.end(), mixed.layers.begin(), mixed.layers.end());
  if (mixed.result.interrupted) run.context.cancel = nullptr;  // what was found is written
  result.precision = std::move(mixed.result);
  return result;
}

}  // namespace preon
