// The protocol of `validate`, step by step: docs/design/validate.md.
#include <algorithm>
#include <filesystem>

#include "api/candidates.h"
#include "api/judge/judging_samples.h"
#include "api/judge/model_judge.h"
#include "api/verbs.h"
#include "base/text.h"
#include "data/held_out.h"
#include "eval/input_check.h"
#include "ir/model_io.h"
#include "pipeline/output.h"

namespace preon {
namespace {

constexpr double kSecondsOfLatency = 0.5;
constexpr double kMuchDb = 3;  // what a step must gain to be named where it is not enough

double DbOf(const Comparison& compare) {
  const OutputComparison* worst = WorstOutput(compare);
  return worst == nullptr ? kExactSqnrDb : worst->sqnr_db;
}

class Validation {
 public:
  Validation(const std::string& model, RunInputs& run, const TempDir& folder, ValidateResult& result)
      : model_(model), run_(run), folder_(folder), result_(result) {}

  Status Run(const std::vector<std::string>& quantized) {
    PREON_ASSIGN_OR_RETURN(asked_, ParseMetric(run_.options.metric));
    PREON_RETURN_IF_ERROR(ChooseSamples());
    run_.context.BeginStage("evaluate");
    Samples reference;
    if (const std::string& file = run_.options.reference; !file.empty())
      reference = Without(EvalSamples({.from = {.sources = {file}}, .batch = run_.options.data.batch}), kept_.left_out);
    judge_.emplace(model_, kept_.judging, reference, asked_, run_.context);
    PREON_RETURN_IF_ERROR(judge_->Begin());
    result_.float_size_bytes = FileSizeBytes(model_);
    if (quantized.empty()) {
      PREON_RETURN_IF_ERROR(TryMethods());
    } else {
      for (const std::string& file : quantized) {
        PREON_ASSIGN_OR_RETURN(ValidatedModel judged, judge_->Evaluate(file, file));
        result_.models.push_back(std::move(judged));
      }
    }
    PREON_RETURN_IF_ERROR(Judge(quantized.empty() ? folder_.File("given.onnx") : quantized.front()));
    if (!result_.models[result_.judged].why_not.empty()) PREON_RETURN_IF_ERROR(FindSteps(!quantized.empty()));
    result_.verdict = Decide(result_.models[result_.judged].why_not, result_.steps);
    if (result_.verdict == Verdict::kEscalate) AddTraining();
    return Status::Ok();
  }

 private:
  // --eval-data, else a part of --data that nothing is calibrated with.
  Status ChooseSamples() {
    PREON_ASSIGN_OR_RETURN(const Model model, LoadModel(model_));
    inputs_ = InputSpecs(model.graph);
    PREON_ASSIGN_OR_RETURN(kept_,
                           KeepSamples(run_.samples, EvalSamples(run_.options.eval_data, run_.options.data), inputs_));
    result_.unseen = kept_.unseen;
    if (run_.options.data.from.has_random()) return Status::Ok();
    PREON_ASSIGN_OR_RETURN(const std::unique_ptr<DataSource> source, run_.samples.open(inputs_, {}));
    result_.warnings = CheckInputs(*source, inputs_, 1, [&] { return LoadModel(model_); }, run_.context);
    return Status::Ok();
  }

  Candidate Given() const { return {"as given", "", run_.options}; }
  Candidate With(std::string name, std::string options, const std::function<void(Options&)>& change) const {
    Candidate candidate{std::move(name), std::move(options), run_.options};
    change(candidate.settings);
    return candidate;
  }

  std::vector<Candidate> Methods() const {
    std::vector<Candidate> candidates = {Given()};
    if (!run_.choices.target->NeedsStatistics(run_.choices.plan)) return candidates;
    for (const char* method : {"minmax", "percentile", "minmse", "sample-extremes", "auto"}) {
      if (run_.options.ranges.method == method) continue;
      candidates.push_back(With(StrCat("method ", method), StrCat("--method ", method), [&](Options& options) {
        options.ranges.method = method;
        options.ranges.method_options.clear();
        if (options.ranges.method != "auto") options.ranges.effort = Effort::kFast;
      }));
    }
    return candidates;
  }

  // Makes and judges one; keeps its file under `keep` where that is not empty.
  Result<ValidatedModel> Try(const Candidate& candidate, const std::string& statistics, const Samples& fit,
                             ModelJudge& judge, const std::string& keep = "") {
    Result<QuantizeResult> made = MakeCandidate(model_, candidate, fit, statistics, run_, folder_);
    if (!made.ok() && made.status().id() == ErrorId::kCancelled) return made.status();
    run_.context.BeginStage("evaluate");
    if (!made.ok())
      return ValidatedModel{.name = candidate.name, .options = candidate.options, .failed = made.status().message()};
    last_fallback_ = made->fallback;
    PREON_ASSIGN_OR_RETURN(ValidatedModel judged, judge.Evaluate(made->output, candidate.name));
    judged.options = candidate.options;
    if (!keep.empty()) std::filesystem::rename(made->output, keep);
    PREON_ASSIGN_OR_RETURN(judged.why_not, WhyNot(judged, {}));
    return judged;
  }

  Result<std::vector<std::string>> WhyNot(const ValidatedModel& model, const LatencyPair& latency) const {
    std::vector<Requirement> requirements = run_.options.requirements;
    if (latency.speedup.median <= 0)  // of candidates only accuracy and size are looked at
      std::erase_if(requirements, [](const Requirement& requirement) {
        return requirement.figure == RequiredFigure::kSpeed || requirement.figure == RequiredFigure::kLatency;
      });
    return WhyNotShip({model.compare, model.metric, latency, model.alarms, result_.float_size_bytes, model.size_bytes},
                      requirements);
  }

  Status TryMethods() {
    PREON_ASSIGN_OR_RETURN(statistics_, CollectStatistics(model_, run_.options, kept_.fit, "fit", run_, folder_));
    for (const Candidate& candidate : Methods()) {
      const bool given = result_.models.empty();
      PREON_ASSIGN_OR_RETURN(ValidatedModel judged,
                             Try(candidate, statistics_, kept_.fit, *judge_, given ? folder_.File("given.onnx") : ""));
      if (given && !judged.failed.empty()) return Error(ErrorId::kQuantizeFailed, judged.failed);
      result_.models.push_back(std::move(judged));
    }
    for (size_t model = 0; model < result_.models.size(); ++model) {
      const ValidatedModel &one = result_.models[model], &best = result_.models[result_.best];
      if (one.failed.empty() && DbOf(one.compare) > DbOf(best.compare)) result_.best = model;
    }
    return Status::Ok();
  }

  // The one that was given: its latency, and with it the verdict.
  Status Judge(const std::string& file) {
    ValidatedModel& judged = result_.models[result_.judged];
    run_.context.BeginStage("latency");
    const double seconds = run_.options.latency_seconds.value_or(kSecondsOfLatency);
    if (seconds > 0) {
      PREON_ASSIGN_OR_RETURN(result_.latency_one, judge_->MeasureSpeed(file, 1, seconds));
      result_.latency_all = result_.latency_one;
      if (run_.context.ThreadCount() > 1) {
        PREON_ASSIGN_OR_RETURN(result_.latency_all, judge_->MeasureSpeed(file, run_.context.ThreadCount(), seconds));
      }
    }
    const std::vector<Alarm> alarms = FindAlarms({.compare = judged.compare, .speedup = result_.latency_one.speedup});
    judged.alarms = alarms;
    PREON_ASSIGN_OR_RETURN(judged.why_not, WhyNot(judged, result_.latency_one));
    const bool slow = std::ranges::any_of(alarms, [](const Alarm& alarm) { return alarm.id == "slower"; });
    if (slow) PREON_RETURN_IF_ERROR(AddLatencyStep(file));
    return Status::Ok();
  }

  Status AddLatencyStep(const std::string& file) {
    const Result<LintResult> lint = LintVerb(file, run_);
    if (!lint.ok() && lint.status().id() == ErrorId::kCancelled) return lint.status();
    NextStep& step = result_.steps.emplace_back();
    step.kind = "latency";
    step.advice = "slower than the float model";
    if (!lint.ok() || lint->report.findings.empty()) return Status::Ok();
    const LintFinding& finding = lint->report.findings.front();
    step.advice = StrCat(step.advice, ": ", finding.rule, ", ", finding.nodes.size(), " nodes; ", finding.advice);
    if (!finding.pass.empty()) step.command = StrCat("preon lint ", file, " --fix -o FASTER.onnx");
    step.enough = !finding.pass.empty() && result_.models[result_.judged].why_not.size() == 1;
    return Status::Ok();
  }

  // In the order in which an engineer would look: data, method, granularity, layers, weights.
  Status FindSteps(bool from_files) {
    const ValidatedModel& judged = result_.models[result_.judged];
    if (from_files) {
      Result<std::string> statistics = CollectStatistics(model_, run_.options, kept_.fit, "fit", run_, folder_);
      if (!statistics.ok() && statistics.status().id() == ErrorId::kCancelled) return statistics.status();
      if (!statistics.ok()) {
        result_.warnings.push_back(StrCat("no other quantization was tried: ", statistics.status().message()));
        return Status::Ok();
      }
      statistics_ = *std::move(statistics);
    }
    if (!run_.options.eval_data.empty() && run_.choices.target->NeedsStatistics(run_.choices.plan))
      PREON_RETURN_IF_ERROR(TryOtherData());
    if (from_files)
      PREON_RETURN_IF_ERROR(TryStep("range_method", "preon's own quantization is nearer to float", Given()));
    const ValidatedModel& best = result_.models[result_.best];
    if (result_.best != result_.judged && best.failed.empty())
      AddStep("range_method", StrCat("another method for ranges is nearer to float: ", best.name), best);
    const Options& options = run_.options;
    if (!options.plan.per_channel)
      PREON_RETURN_IF_ERROR(TryStep(
          "granularity", "one scale per channel of the weights in place of one per tensor",
          With("per channel", "without --per-tensor", [](Options& changed) { changed.plan.per_channel = true; })));
    if (options.plan.activation_symmetric.value_or(false))
      PREON_RETURN_IF_ERROR(TryStep("granularity", "asymmetric activations use all codes",
                                    With("asymmetric", "without --symmetric",
                                         [](Options& changed) { changed.plan.activation_symmetric.reset(); })));
    if (IsEnough()) return Status::Ok();
    PREON_RETURN_IF_ERROR(TryFloatLayers());
    if (IsEnough()) return Status::Ok();
    if (options.ranges.effort != Effort::kHigh && !judged.compare.outputs.empty())
      PREON_RETURN_IF_ERROR(TryStep(
          "weight_algorithm", "codes of weights that make up for each other",
          With("effort high", "--effort high", [](Options& changed) { changed.ranges.effort = Effort::kHigh; })));
    if (IsEnough()) return Status::Ok();
    return TryMoreBits();
  }

  // Says what the few bits cost, but those who asked for them want them: training is the next step.
  Status TryMoreBits() {
    const TensorType& weight = run_.choices.plan.weight;
    if (weight.block() != nullptr || weight.bits() >= 8) return Status::Ok();
    PREON_RETURN_IF_ERROR(TryStep("weight_bits", "weights of 8 bits",
                                  With("weights of 8 bits", "--weight int8",
                                       [](Options& changed) { changed.types.weight = TensorType(DataType::kInt8); })));
    if (!IsEnough()) return Status::Ok();
    result_.steps.back().enough = false;
    result_.steps.back().advice += " would be good enough";
    return Status::Ok();
  }

  bool IsEnough() const { return std::ranges::any_of(result_.steps, &NextStep::enough); }

  // What samples like those that it is judged by would give: half of them calibrate, the others judge.
  Status TryOtherData() {
    PREON_ASSIGN_OR_RETURN(const SplitSamples split, SplitOf(kept_.judging, inputs_));
    if (CountSamples(split.held_out) < kLeastHeldOut) return Status::Ok();
    const Samples fit = Without(kept_.judging, split.held_out), judging = Without(kept_.judging, split.used);
    const AskedMetric none;
    ModelJudge judge(model_, judging, {}, none, run_.context);
    PREON_RETURN_IF_ERROR(judge.Begin());
    PREON_ASSIGN_OR_RETURN(const std::string other,
                           CollectStatistics(model_, run_.options, fit, "other", run_, folder_));
    PREON_ASSIGN_OR_RETURN(const ValidatedModel before, Try(Given(), statistics_, kept_.fit, judge));
    PREON_ASSIGN_OR_RETURN(const ValidatedModel after, Try(Given(), other, fit, judge));
    if (!before.failed.empty() || !after.failed.empty()) return Status::Ok();
    const double gain = DbOf(after.compare) - DbOf(before.compare);
    if (gain < kMuchDb) return Status::Ok();
    result_.steps.push_back({.kind = "data",
                             .advice = "the samples of --data are unlike those that it is judged by: calibrate with "
                                       "samples prepared as in use",
                             .command = QuantizeCommand(run_.options.eval_data.front(), ""),
                             .gain_db = gain,
                             .enough = after.why_not.empty()});
    return Status::Ok();
  }

  Status TryFloatLayers() {
    const bool none_yet = run_.options.budget == 0.0;
    const char* budget = none_yet ? "--budget 3" : "--budget 25";
    const size_t before = result_.steps.size();
    PREON_RETURN_IF_ERROR(
        TryStep("float_layers", "some layers in float", With("layers in float", budget, [&](Options& o) {
                  o.ranges.method = "auto";
                  o.ranges.effort = Effort::kDefault;
                  o.budget = none_yet ? std::optional<double>() : 0.25;
                })));
    if (result_.steps.size() == before) return Status::Ok();
    std::vector<std::string> nodes;
    for (const FallbackTrial& trial : last_fallback_.trials)
      if (trial.kept) nodes.insert(nodes.end(), trial.nodes.begin(), trial.nodes.end());
    if (nodes.empty()) return Status::Ok();
    NextStep& step = result_.steps.back();
    step.advice = StrCat("layers in float: ", JoinNames(nodes), ", about ",
                         static_cast<int64_t>(100 * last_fallback_.cost + 0.5), " % of the time");
    std::string excluded;
    for (const std::string& node : nodes)
      excluded += StrCat(excluded.empty() ? "" : " ", "--exclude ", ShellQuoted(node));
    step.command = QuantizeCommand(DataText(), excluded);
    return Status::Ok();
  }

  // Named where it is enough, or gains much.
  Status TryStep(std::string kind, std::string advice, const Candidate& candidate) {
    PREON_ASSIGN_OR_RETURN(const ValidatedModel tried, Try(candidate, statistics_, kept_.fit, *judge_));
    if (tried.failed.empty()) AddStep(std::move(kind), std::move(advice), tried);
    return Status::Ok();
  }

  void AddStep(std::string kind, std::string advice, const ValidatedModel& tried) {
    const ValidatedModel& judged = result_.models[result_.judged];
    const double gain = DbOf(tried.compare) - DbOf(judged.compare);
    if (!tried.why_not.empty() && gain < kMuchDb) return;
    NextStep step{.kind = std::move(kind),
                  .advice = std::move(advice),
                  .command = QuantizeCommand(DataText(), tried.options),
                  .gain_db = gain,
                  .enough = tried.why_not.empty()};
    if (tried.metric) step.metric_gain = (judged.metric ? judged.metric->loss : 0) - tried.metric->loss;
    result_.steps.push_back(std::move(step));
  }

  // To paste.
  std::string QuantizeCommand(const std::string& data, const std::string& options) const {
    return StrCat("preon quantize ", model_, " -o OUT.onnx --data ", data, options.empty() ? "" : " ", options);
  }

  std::string DataText() const {
    return run_.options.data.from.sources.empty() ? "SRC" : run_.options.data.from.sources.front();
  }

  void AddTraining() {
    result_.steps.push_back({.kind = "training",
                             .advice = "nothing that was tried is enough: quantization-aware training, or a type with "
                                       "more bits"});
  }

  const std::string& model_;
  RunInputs& run_;
  const TempDir& folder_;
  ValidateResult& result_;
  AskedMetric asked_;
  std::vector<TensorSpec> inputs_;
  KeptSamples kept_;  // what calibrates and chooses; what judges
  std::optional<ModelJudge> judge_;
  std::string statistics_;  // of kept_.fit
  AccuracyFallback last_fallback_;
};

}  // namespace

Result<ValidateResult> ValidateIn(const TempDir& folder, const std::vector<std::string>& models, RunInputs& run) {
  if (!run.samples.open || run.samples.made_up()) return MissingData("validate", "--data SRC");
  ValidateResult result{.model = models.front()};
  const std::vector<std::string> quantized(models.begin() + 1, models.end());
  Validation validation(models.front(), run, folder, result);
  PREON_RETURN_IF_ERROR(validation.Run(quantized));
  result.facts = RunFactsOf(run.context, "validate");
  return result;
}

Result<ValidateResult> ValidateVerb(const std::vector<std::string>& models, RunInputs& run) {
  PREON_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Create(run.context.TempDir()));
  return ValidateIn(folder, models, run);
}

}  // namespace preon
