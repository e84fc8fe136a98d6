// The protocol of `validate`, step by step: docs/design/validate.md.
#include <algorithm>
#include <filesystem>
#include <tuple>

#include "api/next_steps.h"
#include "api/verbs.h"
#include "eval/input_check.h"
#include "ir/model_io.h"
#include "pipeline/output.h"

namespace preon {
namespace {

constexpr double kSecondsOfLatency = 0.5;
// That make sure of a candidate which nothing is chosen for: its figures come from others.
constexpr int64_t kFewSamples = 16;

// --eval-data judges, else a part of --data that nothing is calibrated with.
Status ChooseSamples(Validation& of) {
  const Options& options = of.run.options;
  PREON_ASSIGN_OR_RETURN(const Model model, LoadModel(of.model));
  of.inputs = InputSpecs(model.graph);
  of.fingerprint = model.fingerprint;
  PREON_ASSIGN_OR_RETURN(of.kept, KeepSamples(of.run.samples, EvalSamples(options.eval_data, options.data), of.inputs));
  of.result.unseen = AreUnseen(options.eval_data, options.data.from, of.result.warnings) && of.kept.unseen;
  WarnOfRandom(options.data.from, options.eval_data, "these figures", of.result.warnings);
  if (options.data.from.has_random()) return Status::Ok();
  PREON_ASSIGN_OR_RETURN(const std::unique_ptr<DataSource> source, of.run.samples.open(of.inputs, {}));
  for (std::string& warning : CheckInputs(*source, of.inputs, 1, [&] { return LoadModel(of.model); }, of.run.context))
    of.result.warnings.push_back(std::move(warning));
  return Status::Ok();
}

std::vector<Candidate> MethodCandidates(const Options& options) {
  std::vector<Candidate> candidates;
  for (const char* method : {"minmax", "percentile", "minmse", "sample-extremes", "auto"}) {
    if (options.ranges.method == method) continue;
    Candidate& candidate = candidates.emplace_back(
        Candidate{.name = StrCat("method ", method), .options = StrCat("--method ", method), .settings = options});
    RangeOptions& ranges = candidate.settings.ranges;
    ranges.method = method;
    ranges.method_options.clear();
    if (ranges.method == "auto") continue;
    ranges.effort = Effort::kFast;
    candidate.options += " --effort fast";
  }
  return candidates;
}

// What quantize would write, kept in `file`, and the methods beside it.
Status TryCandidates(Validation& of, const std::string& file) {
  std::vector<ValidatedModel>& models = of.result.models;
  PREON_ASSIGN_OR_RETURN(of.statistics,
                         CollectStatistics(of.model, of.run.options, of.kept.fit, "fit", of.run, of.folder));
  PREON_ASSIGN_OR_RETURN(Tried given, of.candidates.Try(Given(of.run.options), of.statistics, of.kept.fit, *of.judge));
  if (!given.model.failed.empty()) return Error(ErrorId::kQuantizeFailed, given.model.failed);
  std::filesystem::rename(given.file, file);
  of.is_refused = given.is_refused;
  of.computes_in_float = given.computes_in_float;
  of.has_float_layers = std::ranges::any_of(given.fallback.trials, &FallbackTrial::kept);
  of.result.written = std::move(given.written);
  const std::string& target = of.result.written.target;
  if (target != of.run.choices.target->name()) given.model.name += StrCat(", target ", target);
  models.push_back(std::move(given.model));
  const Choices& choices = of.run.choices;
  const bool has_methods = choices.target->NeedsStatistics(choices.plan);
  const Samples few = FirstOf(of.kept.fit, kFewSamples);
  for (const Candidate& candidate : has_methods ? MethodCandidates(of.run.options) : std::vector<Candidate>()) {
    const bool chooses = candidate.settings.ranges.effort != Effort::kFast || !of.run.options.algorithms.asked.empty();
    const Samples& fit = chooses ? of.kept.fit : few;
    PREON_ASSIGN_OR_RETURN(Tried tried, of.candidates.Try(candidate, of.statistics, fit, *of.judge));
    models.push_back(std::move(tried.model));
  }
  for (size_t model = 0; model < models.size(); ++model)
    if (models[model].failed.empty() &&
        WorstSqnrDb(models[model].compare) > WorstSqnrDb(models[of.result.best].compare))
      of.result.best = model;
  return Status::Ok();
}

// What keeps the files beside the judged one from being shipped, and the best of all.
Status JudgeOthers(Validation& of, const std::vector<std::string>& files) {
  std::vector<ValidatedModel>& models = of.result.models;
  const double seconds = of.run.options.latency_seconds.value_or(kSecondsOfLatency);
  for (size_t file = 1; file < files.size(); ++file) {
    ValidatedModel& model = models[file];
    LatencyPair latency;
    if (seconds > 0) {
      PREON_ASSIGN_OR_RETURN(latency, of.judge->MeasureSpeed(files[file], 1, seconds));
    }
    model.alarms = FindAlarms({.compare = model.compare, .speedup = latency.speedup});
    PREON_ASSIGN_OR_RETURN(model.why_not, of.candidates.WhyNot(model, latency));
  }
  if (files.empty()) return Status::Ok();
  const auto rank = [](const ValidatedModel& model) {
    const std::optional<MetricFigures> metric = MetricOf(model.metric, model.compare);
    return std::tuple(!model.why_not.empty(), metric ? metric->loss : 0, -WorstSqnrDb(model.compare));
  };
  of.result.best = static_cast<size_t>(std::ranges::min_element(models, {}, rank) - models.begin());
  return Status::Ok();
}

// What keeps the judged model from being shipped, with its latency.
Status Judge(Validation& of, const std::string& file) {
  ValidateResult& result = of.result;
  ValidatedModel& judged = result.models[result.judged];
  of.run.context.BeginStage("latency");
  const double seconds = of.run.options.latency_seconds.value_or(kSecondsOfLatency);
  if (seconds > 0) {
    PREON_ASSIGN_OR_RETURN(result.latency_one, of.judge->MeasureSpeed(file, 1, seconds));
    result.latency_all = result.latency_one;
    if (const int threads = of.run.context.ThreadCount(); threads > 1) {
      PREON_ASSIGN_OR_RETURN(result.latency_all, of.judge->MeasureSpeed(file, threads, seconds));
    }
  }
  judged.alarms = FindAlarms({.compare = judged.compare});
  PREON_ASSIGN_OR_RETURN(const std::vector<std::string> inaccurate, of.candidates.WhyNot(judged, {}));
  of.is_accurate = inaccurate.empty();
  judged.alarms = {};
  PREON_ASSIGN_OR_RETURN(const std::vector<std::string> missed, of.candidates.WhyNot(judged, result.latency_one));
  result.meets_requirements = of.run.options.requirements.empty() || missed.empty();
  const Speedup speedup = of.computes_in_float ? Speedup() : result.latency_one.speedup;
  judged.alarms = FindAlarms({.compare = judged.compare, .speedup = speedup});
  PREON_ASSIGN_OR_RETURN(judged.why_not, of.candidates.WhyNot(judged, result.latency_one));
  of.is_slow = judged.why_not.size() > inaccurate.size();
  if (of.is_refused)
    judged.why_not.emplace_back("quantize finds nothing to gain over the float model; --always-write writes it");
  return Status::Ok();
}

Status Validate(Validation& of, const std::vector<std::string>& quantized) {
  ValidateResult& result = of.result;
  const Options& options = of.run.options;
  PREON_ASSIGN_OR_RETURN(of.asked, ParseMetric(options.metric, options.requirements));
  PREON_RETURN_IF_ERROR(ChooseSamples(of));
  of.run.context.BeginStage("evaluate");
  if (!options.reference.empty())
    of.reference = Without(ReferenceSamples(options.reference, options.data.batch), of.kept.left_out);
  of.judge.emplace(of.model, of.kept.judging, of.reference, of.asked, of.run.context);
  PREON_RETURN_IF_ERROR(of.judge->Begin());
  result.float_size_bytes = ModelSizeBytes(of.model);
  result.files = quantized.size();
  for (const std::string& file : quantized) {
    PREON_ASSIGN_OR_RETURN(const Model model, LoadModel(file));  // what is no model is told as everywhere else
    if (model.fingerprint == of.fingerprint)
      return Error(ErrorId::kBadOptionValue, file, ": the same model as ", of.model,
                   ", byte by byte; wanted a quantized form of it");
    PREON_ASSIGN_OR_RETURN(ValidatedModel judged, of.judge->Evaluate(file, file));
    result.models.push_back(std::move(judged));
  }
  const std::string given = of.folder.File("given.onnx");
  if (quantized.empty()) PREON_RETURN_IF_ERROR(TryCandidates(of, given));
  PREON_RETURN_IF_ERROR(Judge(of, quantized.empty() ? given : quantized.front()));
  PREON_RETURN_IF_ERROR(JudgeOthers(of, quantized));
  const std::vector<std::string>& why_not = result.models[result.judged].why_not;
  if (!why_not.empty()) PREON_RETURN_IF_ERROR(FindSteps(of, quantized.empty() ? "" : quantized.front()));
  result.verdict = Decide(why_not, result.steps);
  return Status::Ok();
}

}  // namespace

Result<ValidateResult> ValidateIn(const TempDir& folder, const std::vector<std::string>& models, RunInputs& run) {
  if (!run.samples.open || run.samples.made_up()) return MissingData("validate", "--data SRC");
  ValidateResult result{.model = models.front()};
  Validation validation{.model = models.front(),
                        .run = run,
                        .folder = folder,
                        .result = result,
                        .candidates = CandidateJudge(models.front(), run, folder)};
  PREON_RETURN_IF_ERROR(Validate(validation, {models.begin() + 1, models.end()}));
  result.facts = RunFactsOf(run.context, "validate");
  return result;
}

Result<ValidateResult> ValidateVerb(const std::vector<std::string>& models, RunInputs& run) {
  PREON_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Create(run.context.TempDir()));
  return ValidateIn(folder, models, run);
}

}  // namespace preon
