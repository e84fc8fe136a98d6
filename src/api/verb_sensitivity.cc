
#include "api/judge/pasted_command.h"
#include "api/trial_runs.h"
#include "api/verbs.h"
#include "base/text.h"
#include "pipeline/calibrate_stage.h"
#include "pipeline/calibration_setup.h"
#include "pipeline/fallback_planner.h"
#include "pipeline/output.h"
#include "quantize/plan/estimated_time.h"
#include "search/choose_method.h"
#include "search/runtime_placement.h"
#include "search/sensitivity.h"

namespace preon {
namespace {

// Gains are those of this target and these layers; without --target quantize could take another one, and without the
// budget it could leave more layers in float.
std::string FixCommand(const std::string& model, const std::string& config_file, const std::vector<Setting>& given,
                       const std::string& target, const std::vector<std::string>& nodes) {
  std::string excluded = StrCat("--target ", target, " --budget 0");
  for (const std::string& node : nodes) excluded += StrCat(" --exclude ", ShellQuoted(node));
  return QuantizeCommand(model, config_file, given, excluded, {"target", "budget"});
}

// Which target quantize writes is known when it has made and timed the models of several.
std::string ScopeWithoutTarget(const Target& target) {
  if (target.InsteadOfIt().empty()) return "";
  return StrCat("these layers are of target ", target.name(),
                "; without --target, quantize writes another target where that is better (preon report says which)");
}

// With samples for trials: by a pass over the samples, or of the statistics that a report has; it has checked the
// rewrites, too.
Result<Calibration> CalibrateForTrials(PreparedModel& prepared, const RunInputs& run,
                                       const ModelPreparation& preparation, TrialSamples& trial) {
  const std::string& calib = run.options.calib;
  if (calib.empty()) return run.Calibration(preparation).Run(prepared, {.trial = &trial});
  Calibration loaded;
  PREON_ASSIGN_OR_RETURN(loaded.data,
                         LoadFittingCalibration(calib, prepared, prepared.float16, run.context.ThreadCount()));
  PREON_RETURN_IF_ERROR(
      CollectTrialSamples(prepared.model.source_path, prepared.inputs, run.samples, trial, run.context).status());
  return loaded;
}

}  // namespace

Result<SensitivityResult> SensitivityVerb(const std::string& model, RunInputs& run) {
  const Options& options = run.options;
  if (!run.samples.open || run.samples.made_up()) return MissingData("sensitivity", "--data SRC");
  if (!run.choices.target->NeedsStatistics(run.choices.plan))
    return Error(ErrorId::kNotYetSupported, "sensitivity: target ", run.choices.target->name(),
                 " gives activations no codes before a run")
        .WithHint("preon validate judges such models");
  const ModelPreparation preparation = run.Preparation();
  PREON_ASSIGN_OR_RETURN(PreparedModel prepared, preparation.Prepare(model));
  TrialSamples samples(EstimatedNs(prepared.model.graph, prepared.plan));
  PREON_ASSIGN_OR_RETURN(const Calibration calibration, CalibrateForTrials(prepared, run, preparation, samples));
  PlanInputs inputs{.data = calibration.data,
                    .collected_ranges = calibration.collected_ranges ? &*calibration.collected_ranges : nullptr,
                    .own_method = run.choices.own_method,
                    .algorithms = run.choices.algorithms.list,
                    .passes = QdqPassesOf(run.choices.passes)};
  const FallbackPlanner fallback(*run.choices.target, run.choices.plan, calibration.data, nullptr);
  PREON_RETURN_IF_ERROR(fallback.LeaveNotReached(prepared));
  run.context.BeginStage("try");
  Trials trials(samples, options.resources.memory, run.context);
  PREON_RETURN_IF_ERROR(trials.CloseLoop(prepared.model));
  std::string method(run.choices.method->name());
  RangesByMethod known;
  inputs.chosen = &known[method];
  if (method == "auto") {
    MethodRace race(prepared, inputs, trials, run.builtins.methods, known);
    PREON_RETURN_IF_ERROR(race.RunAll());
    ChosenMethod chosen = std::move(race).Take();
    if (chosen.method != nullptr) {
      run.choices.method = std::move(chosen.method);
      inputs.chosen = chosen.ranges;
    }
    method = run.choices.method->name();
  }
  PREON_RETURN_IF_ERROR(LeaveNotFused(prepared, *run.choices.method, inputs, fallback, run.context));
  PREON_ASSIGN_OR_RETURN(SensitivityResult result,
                         FindSensitivity(prepared, *run.choices.method, inputs, fallback, trials,
                                         {.confirm = options.confirm, .budget = options.budget}));
  result.model = model;
  result.target = run.choices.target->name();
  result.method = std::move(method);
  for (const TrialRun& each : samples.runs()) result.samples += each.batch.samples;
  if (result.fix)
    result.fix->command =
        FixCommand(model, options.given.config_file, options.given.settings, result.target, result.fix->nodes);
  if (!options.target && options.plan.compat == Compat::kOff) result.scope = ScopeWithoutTarget(*run.choices.target);
  result.warnings.insert(result.warnings.begin(), prepared.warnings.begin(), prepared.warnings.end());
  WarnOfRandom(options.data.from, options.eval_data, "these figures", result.warnings);
  result.facts = RunFactsOf(run.context, "sensitivity", calibration.workers_peak_rss_bytes);
  return result;
}

}  // namespace preon
