#include <algorithm>
#include <map>
#include <optional>

#include "api/choose_by_trials.h"
#include "api/judge/compared_samples.h"
#include "api/judge/judge_result.h"
#include "api/judge/judging_samples.h"
#include "api/judge/no_effect.h"
#include "api/model_metadata.h"
#include "api/named_by_key.h"
#include "api/quantize_for_target.h"
#include "api/save_histograms.h"
#include "api/trial_runs.h"
#include "api/verbs.h"
#include "base/output/commit.h"
#include "base/system.h"
#include "data/held_out.h"
#include "pipeline/calibrate_stage.h"
#include "pipeline/calibration_setup.h"
#include "pipeline/fallback_planner.h"
#include "pipeline/improve_codes.h"
#include "pipeline/output.h"
#include "pipeline/partial_calibration.h"
#include "pipeline/quantize_stage.h"
#include "pipeline/restore_stage.h"
#include "pipeline/write_plan.h"
#include "quantize/plan/estimated_time.h"
#include "quantize/plan/plan_types.h"
#include "ranges/range_methods.h"
#include "report/html/stage_report.h"

namespace preon {
namespace {

// Names of the algorithms that have something to do and need statistics for it.
std::vector<std::string> AlgorithmsThatNeedData(const PlannedModel& prepared,
                                                const std::vector<const Algorithm*>& algorithms) {
  std::vector<std::string> names;
  for (const Algorithm* algorithm : algorithms) {
    if (!algorithm->Needs(prepared.model.graph, prepared.plan).empty()) names.emplace_back(algorithm->name());
  }
  return names;
}

// Algorithms that a file of statistics does not serve: it was made without them, or by a served model.
void WarnOfLacking(const std::string& path, const CalibrationData& data, const SavedRanges* saved,
                   const std::vector<const Algorithm*>& algorithms, PreparedModel& prepared) {
  for (const Algorithm* algorithm : algorithms) {
    StatisticsRequest lacked = LackedBy(data, algorithm->Needs(prepared.model.graph, prepared.plan));
    if (saved != nullptr) lacked = LackedBy(saved->statistics, std::move(lacked));
    const size_t lacking = lacked.AllTensors().size();
    if (lacking > 0)
      prepared.warnings.push_back(StrCat(path, ": lacks statistics for ", algorithm->name(), " (", lacking,
                                         " tensors), which it skips; calibrate again to collect them"));
  }
}

// All ranges are saved, or nobody needs statistics: nothing has to be calibrated.
bool IsComplete(const QuantPlan& plan, const SavedRanges* saved, bool needs_statistics) {
  return MissingRanges(plan, saved).empty() && (saved != nullptr || !needs_statistics);
}

// Scales and zero points come from --encodings, all of them.
bool GivesAllScales(const std::string& encodings, const QuantPlan& plan) {
  return !encodings.empty() && plan.RangeTensors().empty();
}

// Statistics by a pass over the samples, from --calib, or none where none are needed.
Result<Calibration> CalibrateOrLoad(PreparedModel& prepared, const RunInputs& run, const ModelPreparation& preparation,
                                    const PassFiles& files) {
  const std::string& calib = run.options.calib;
  const Choices& choices = run.choices;
  const bool needs_statistics =
      (choices.target->NeedsStatistics(choices.plan) && !GivesAllScales(run.options.encodings, prepared.plan)) ||
      (!run.samples.made_up() && !AlgorithmsThatNeedData(prepared, choices.algorithms.list).empty());
  if (calib.empty() && !IsComplete(prepared.plan, files.saved, needs_statistics)) {
    if (!run.samples.made_up()) return run.Calibration(preparation).Run(prepared, files);
    const std::string& file = files.saved != nullptr ? run.options.outputs.ranges : run.options.encodings;
    return Error(ErrorId::kMissingOption, file, ": no range for '", MissingRanges(prepared.plan, files.saved).front(),
                 "' and others; wanted --data SRC to calibrate what is missing");
  }
  run.context.BeginStage("load");
  Calibration loaded;
  if (!calib.empty()) {
    PREON_ASSIGN_OR_RETURN(loaded.data,
                           LoadFittingCalibration(calib, prepared, prepared.float16, run.context.ThreadCount()));
  }
  const Status same = CheckRewrites(prepared.model, prepared.first_run, run.context);
  if (same.ok()) return loaded;
  if (same.id() != ErrorId::kPassFailed) return same;
  PREON_ASSIGN_OR_RETURN(prepared, preparation.PrepareVerifyingEachPass(prepared.model.source_path, same));
  PREON_RETURN_IF_ERROR(ApplySaved(files.saved, run.options.outputs.ranges, HashOfRangeOptions(run.options),
                                   *choices.target, choices.plan, prepared));
  return loaded;
}

// Restored ranges are of the method that the file names, as far as it is one.
std::string MethodOfRanges(const RangeMethodRegistry& methods, const RangeMethod& method, const SavedRanges* saved) {
  if (saved != nullptr && methods.Find(saved->method).ok()) return saved->method;
  return std::string(method.name());
}

// Tensors that have the range of another, which is named.
std::map<std::string, std::string> InheritedRanges(const QuantPlan& plan) {
  std::map<std::string, std::string> inherited;
  for (const auto& [tensor, activation] : plan.activations) {
    if (activation.inherited) inherited[tensor] = activation.shares.empty() ? activation.range_of : activation.shares;
  }
  return inherited;
}

// How weights are written; what the plan of MatMulNBits says goes over what was asked for.
void DescribeWeights(std::optional<int64_t> block_size, WeightMethod method, const NBitsPlan& nbits,
                     QuantizeResult& result) {
  result.block_size = block_size.value_or(0);
  if (!nbits.nodes.empty()) {
    result.block_size = nbits.options.block_size;
    method = nbits.options.method;
  }
  result.weight_method = WeightMethodName(method);
}

// Algorithms that this target has by default, and that have no part in the result.
std::vector<std::string> AlgorithmsBeside(const AlgorithmRegistry& all, const std::vector<const Algorithm*>& chosen,
                                          const Target& target, PlanOptions options) {
  options.compat = Compat::kOff;
  std::vector<std::string> names;
  for (const auto& algorithm : all.entries()) {
    if (algorithm->on_by_default() && algorithm->AppliesTo(target, options) &&
        std::ranges::find(chosen, algorithm->name(), &Algorithm::name) == chosen.end())
      names.emplace_back(algorithm->name());
  }
  return names;
}

// Where the ranges of a run come from.
struct RangeOrigin {
  const SavedRanges* saved = nullptr;
  int64_t missing = 0;      ///< ranges that are not saved
  bool has_given = false;   ///< all scales come from --encodings
  bool has_ranges = false;  ///< the target needs some
  bool is_auto = false;
  bool tries = false;  ///< `auto` compares methods on samples
  std::string method;
};

RangeOrigin OriginOfRanges(const QuantPlan& plan, const SavedRanges* saved, const RunInputs& run) {
  RangeOrigin how{.saved = saved, .missing = static_cast<int64_t>(MissingRanges(plan, saved).size())};
  how.has_given = GivesAllScales(run.options.encodings, plan);
  how.has_ranges = run.choices.target->NeedsStatistics(run.choices.plan) && !how.has_given;
  how.is_auto = run.choices.method->name() == "auto" && how.has_ranges && saved == nullptr;
  how.tries = how.is_auto && !run.samples.made_up();
  return how;
}

void Describe(const RunInputs& run, const QuantPlan& plan, const RangeOrigin& how, QuantizeResult& result) {
  const Options& options = run.options;
  const PlanOptions& planned = run.choices.plan;
  result.method = how.has_ranges ? how.method : "none";
  result.inherited = InheritedRanges(plan);
  result.output = options.outputs.file;
  result.weights_alone = !run.choices.target->QuantizesActivations();
  const PlanTypes types = TypesOfPlan(plan, planned.activation, planned.weight, !planned.given_scales.empty());
  result.activation = result.weights_alone ? "float" : types.activation;
  result.weight = types.weight;
  result.scale_type = ScaleTypeName(planned.scale_type);
  result.weight_scale_type = ScaleTypeName(planned.scale_type_of_weights());
  DescribeWeights(planned.block_size, planned.weight_rule.method_for(planned.scale_type_of_weights()), plan.nbits,
                  result);
  result.compat = CompatName(options.plan.compat);
  result.without = AlgorithmsBeside(run.builtins.algorithms, run.choices.algorithms.list, *run.choices.target, planned);
  result.target = run.choices.target->name();
  result.random_data = options.calib.empty() && options.data.from.has_random();
  result.histograms = options.outputs.histograms;
  if (how.saved != nullptr) {
    result.restored_from = options.outputs.ranges;
    result.restored_tensors = static_cast<int64_t>(plan.RangeTensors().size()) - how.missing;
    if (how.missing == 0) result.samples = how.saved->samples;
  }
  if (!options.encodings.empty()) {
    result.restored_from = options.encodings;
    result.restored_tensors = static_cast<int64_t>(planned.given_scales.size());
  }
}

void AddWarnings(const RunInputs& run, const PlannedModel& prepared, const RangeOrigin& how, QuantizeResult& result) {
  const Options& options = run.options;
  if (how.is_auto && !how.tries)
    result.warnings.insert(result.warnings.begin(),
                           StrCat("accuracy may be lower: --method auto used ", kMethodWithoutTrials,
                                  ", because it can't compare methods without samples; add --data with some of them"));
  if (!how.has_ranges && run.samples.made_up()) {
    const std::vector<std::string> skipped = AlgorithmsThatNeedData(prepared, run.choices.algorithms.list);
    if (!skipped.empty()) result.warnings.push_back(StrCat("skipped without --data: ", JoinNames(skipped)));
  }
  const bool made_up =
      result.figures.origin == FigureOrigin::kMadeUp || (!options.calib.empty() && options.data.from.has_random());
  if (options.eval_data.empty() ? made_up : std::ranges::any_of(options.eval_data, IsRandomSource))
    result.warnings.push_back(
        "error, agreement and latency were measured on random data and are not meaningful; use --data");
  if (how.has_ranges && options.ranges.method != "auto" && options.budget.value_or(0) > 0)
    result.warnings.push_back(StrCat("--budget: has no effect with --method ", options.ranges.method,
                                     ": layers stay in float for accuracy only with --method auto"));
  for (std::string& warning : WarningsOfUnusedAlgorithms(result.improved, options.algorithms.asked))
    result.warnings.push_back(std::move(warning));
  if (how.saved != nullptr && std::ranges::any_of(result.improved, [](const auto& of) { return of.why_not.empty(); }))
    result.warnings.push_back(StrCat(options.outputs.ranges, ": has ranges alone; codes of weights are fitted to the ",
                                     "samples of this run, and others give other codes"));
  if (std::string large = WarningOfLargeBlocks(options.plan.block_size.value_or(0), options.given.origins,
                                               !run.choices.target->QuantizesActivations(), result.float_size_bytes,
                                               result.quantized_size_bytes);
      !large.empty())
    result.warnings.push_back(std::move(large));
}

}  // namespace

// docs/design/quantize-flow.md tells the same story in words.
Result<QuantizeResult> QuantizeForTarget(const std::string& model, RunInputs& run, const Judgement& judgement) {
  const Options& options = run.options;
  PREON_RETURN_IF_ERROR(CheckOutputs("quantize", options, {model}));
  if (!run.samples.open) return MissingSamples();
  PREON_RETURN_IF_ERROR(CheckDropUnit(options.requirements, MetricUnit::kShare));
  PREON_ASSIGN_OR_RETURN(const std::optional<SavedRanges> restored,
                         LoadSaved(options.outputs.ranges, run.choices.warnings));
  const SavedRanges* saved = restored ? &*restored : nullptr;
  const std::string config_hash = HashOfRangeOptions(options);
  run.TakeOfferedAlgorithms();
  const ModelPreparation preparation = run.Preparation();
  PREON_ASSIGN_OR_RETURN(PreparedModel prepared, preparation.Prepare(model));
  PREON_RETURN_IF_ERROR(CheckNotInputs(options.outputs, prepared.external_files));
  PREON_RETURN_IF_ERROR(
      ApplySaved(saved, options.outputs.ranges, config_hash, *run.choices.target, run.choices.plan, prepared));
  RangeOrigin how = OriginOfRanges(prepared.plan, saved, run);
  if (how.is_auto && !how.tries) {
    PREON_ASSIGN_OR_RETURN(run.choices.method, run.choices.without_trials());
  }
  how.method = run.choices.method->name();
  const bool runs_trials = how.tries || run.choices.precision || run.choices.fewer_bits;
  TrialSamples trial(EstimatedNs(prepared.model.graph, prepared.plan));
  FloatOutputs float_outputs;
  // Methods that collect have to see every value; restored ranges make a pass of their own; a secret is not kept.
  std::optional<PartialCalibration> partial;
  const bool calibrates = !run.samples.made_up() && options.calib.empty() && !run.context.StaysInMemory();
  if (calibrates && !run.choices.method->collects() && saved == nullptr) partial.emplace(run.Partial());
  // What a float16 model computes in float32 is not what it gives.
  const bool keeps_outputs = options.resources.memory != MemoryUse::kLow && !prepared.float16;
  PREON_ASSIGN_OR_RETURN(const Calibration calibration,
                         CalibrateOrLoad(prepared, run, preparation,
                                         {.trial = runs_trials ? &trial : nullptr,
                                          .float_outputs = keeps_outputs ? &float_outputs : nullptr,
                                          .partial = partial ? &*partial : nullptr,
                                          .saved = saved,
                                          .holds_out = true}));
  const CalibrationData& data = calibration.data;
  const PlanInputs inputs{.data = data,
                          .saved = saved,
                          .collected_ranges = calibration.collected_ranges ? &*calibration.collected_ranges : nullptr,
                          .own_method = run.choices.own_method,
                          .algorithms = run.choices.algorithms.list,
                          .passes = QdqPassesOf(run.choices.passes)};
  const FallbackPlanner fallback(*run.choices.target, run.choices.plan, data, saved ? &saved->ranges : nullptr);
  PREON_RETURN_IF_ERROR(fallback.LeaveNotReached(prepared));
  const std::string& statistics_file = options.calib.empty() ? options.outputs.ranges : options.calib;
  if (saved != nullptr || !options.calib.empty())
    WarnOfLacking(statistics_file, data, saved, inputs.algorithms, prepared);
  const std::string of_compat = WarningOfCompat(data, run.choices.plan.compat, options.calib);
  if (!of_compat.empty()) prepared.warnings.push_back(of_compat);
  ReleaseFreeMemory();
  TrialResults tried;
  SampleRuns tried_samples;
  if (runs_trials) {
    run.context.BeginStage("try");
    if (!options.calib.empty()) {  // nothing has run the samples yet
      PREON_ASSIGN_OR_RETURN(tried_samples,
                             CollectTrialSamples(model, prepared.inputs, run.samples, trial, run.context));
    }
    PREON_ASSIGN_OR_RETURN(
        tried, ChooseByTrials(prepared, run, inputs, fallback, {trial, prepared.source_size_bytes, how.tries}));
    if (how.tries && tried.candidates.empty() && !trial.runs().empty()) {
      PREON_ASSIGN_OR_RETURN(run.choices.method, run.choices.without_trials());
      prepared.warnings.push_back(
          StrCat("no output can be compared, because the shape of each depends on the data: --method auto used ",
                 kMethodWithoutTrials));
    }
    trial.Clear();
  }
  SetMetadata(prepared, options, run.choices,
              how.has_ranges ? MethodOfRanges(run.builtins.methods, *run.choices.method, saved) : "");
  const auto fits_codes = [&] {
    return WillImproveCodes({{prepared.model, {}}, prepared.plan, data.sample_count()}, inputs.algorithms, run.samples);
  };
  PREON_ASSIGN_OR_RETURN(
      const ComparedSamples compared,
      ChooseComparedSamples(calibration,
                            {.seen = options.calib.empty() ? data.samples : tried_samples,
                             .from_file = saved != nullptr || !options.calib.empty(),
                             .eval = EvalSamples(options.eval_data, options.data),
                             .eval_unseen = AreUnseen(options.eval_data, options.data.from, prepared.warnings),
                             .fits_codes = fits_codes},
                            run.samples, prepared.inputs));
  PREON_ASSIGN_OR_RETURN(QuantizedModel quantized,
                         run.Quantization().Run(prepared, inputs, fallback, float_outputs, compared));
  QuantizeResult& result = quantized.result;
  result.model = model;
  result.float_size_bytes = prepared.source_size_bytes;
  Describe(run, prepared.plan, how, result);
  result.rewritten_by = run.choices.algorithms.rewriting;
  result.candidates = std::move(tried.candidates);
  result.fallback = std::move(tried.fallback);
  result.precision = std::move(tried.precision);
  result.size_fit = std::move(tried.size_fit);
  result.quantized_size_bytes = quantized.file.size_bytes();
  AddWarnings(run, prepared, how, result);
  result.passed_over = judgement.passed_over;
  if (options.size.limit) {
    const int64_t most = BytesOf(*options.size.limit, result.float_size_bytes);
    PREON_RETURN_IF_ERROR(CheckSize(result.quantized_size_bytes, most, result.output));
  }
  const GainQuestion question{
      .made_up_samples = run.samples.made_up(),
      .is_our_choice = how.tries || (!how.has_ranges && !how.has_given && !run.samples.made_up()),
      .computes_in_bodies = prepared.plan.dynamic.in_bodies > 0,
      .always_write = options.write.always};
  PREON_ASSIGN_OR_RETURN(std::optional<QuantizeResult> other, JudgeGain(judgement, question, result));
  if (other) return *std::move(other);
  const TensorType& weight = run.choices.plan.weight;
  if (weight.block() == nullptr && !result.computes_in_float) result.stored.bits = weight.bits();
  PREON_RETURN_IF_ERROR(JudgeResult(options.requirements, result));
  result.facts = RunFactsOf(run.context, "quantize", calibration.workers_peak_rss_bytes);
  std::vector<AtomicFile> beside;
  const bool is_of_another = saved != nullptr && saved->IsOfAnother(prepared.model.fingerprint);
  if (!options.outputs.ranges.empty() && how.missing > 0 && !is_of_another) {
    PREON_ASSIGN_OR_RETURN(AtomicFile ranges, StageSaved(prepared, *run.choices.method, inputs, config_hash,
                                                         options.outputs.ranges, run.context));
    beside.push_back(std::move(ranges));
  }
  NameKeys(result, options.given.origins);
  if (!options.outputs.report.empty()) {
    PREON_ASSIGN_OR_RETURN(AtomicFile report, StageReport(result, options.outputs.report, options.given.shown_as));
    beside.push_back(std::move(report));
  }
  if (!options.outputs.histograms.empty()) PREON_RETURN_IF_ERROR(SaveHistograms(data, run));
  PREON_RETURN_IF_ERROR(CommitAll(beside, [&] { return quantized.file.Commit(); }));  // all of it, or nothing
  if (partial) partial->Remove();
  return std::move(result);
}

}  // namespace preon
