#include "api/next_steps.h"

#include <algorithm>
#include <functional>

#include "api/judge/other_target.h"
#include "api/judge/pasted_command.h"
#include "api/run_with.h"
#include "api/verbs.h"
#include "base/spelling.h"
#include "base/text.h"
#include "data/held_out.h"

namespace preon {
namespace {

// Options that other ranges, and the search for layers in float, take the place of.
const std::set<std::string> kOfMethods = {"method", "method-option", "effort"};
const std::set<std::string> kOfLayersInFloat = {"method", "method-option", "effort", "budget"};
constexpr double kMuchDb = 3;  // what a step must gain to be named where it is not enough

constexpr size_t kMostPastedBytes = 1000;
constexpr size_t kMostNames = 8;
constexpr double kSecondsOfFixed = 0.5;

class StepFinder {
 public:
  explicit StepFinder(Validation& of) : of_(of), run_(of.run), result_(of.result) {}

  Status Find(const std::string& file) {
    const bool judges_files = !file.empty();
    if (judges_files) {
      // Where the judged one is only slow, nearer is no better.
      const bool is_better = !of_.is_accurate || result_.models[result_.best].why_not.empty();
      if (result_.best != result_.judged && is_better) AddOtherFile();
      if (IsEnough()) return Status::Ok();
      if (of_.is_slow) PREON_RETURN_IF_ERROR(AddLatencyStep(file));
      Result<std::string> statistics =
          CollectStatistics(of_.model, run_.options, of_.kept.fit, "fit", run_, of_.folder);
      if (!statistics.ok() && statistics.status().id() == ErrorId::kCancelled) return statistics.status();
      if (!statistics.ok()) {
        result_.warnings.push_back(StrCat("no other quantization was tried: ", statistics.status().message()));
        return Status::Ok();
      }
      of_.statistics = *std::move(statistics);
    }
    PREON_RETURN_IF_ERROR(of_.is_accurate ? FindFaster(judges_files) : FindNearer(judges_files));
    if (!IsEnough()) of_.is_accurate ? AddFasterMachine() : AddTraining();
    return Status::Ok();
  }

 private:
  Candidate With(std::string name, std::string options, std::set<std::string> replaces,
                 const std::function<void(Options&)>& change) const {
    Candidate candidate{.name = std::move(name),
                        .options = std::move(options),
                        .settings = run_.options,
                        .written = of_.is_slow ? WrittenWhen::kAsQuantize : WrittenWhen::kAlways,
                        .replaces = std::move(replaces)};
    change(candidate.settings);
    return candidate;
  }

  void AddOtherFile() {
    const ValidatedModel& best = result_.models[result_.best];
    AddStep("other_file", StrCat("take ", best.name, " in place of ", Judged().name), best, "");
  }

  Status AddLatencyStep(const std::string& file) {
    const Result<LintResult> lint = LintVerb(file, run_);
    if (!lint.ok() && lint.status().id() == ErrorId::kCancelled) return lint.status();
    if (!lint.ok() || lint->report.findings.empty()) return Status::Ok();
    const LintFinding& finding = lint->report.findings.front();
    NextStep step{.kind = "latency"};
    step.advice = StrCat("slower than it should be: ", finding.rule, ", ", finding.nodes.size(), " nodes",
                         finding.advice.empty() ? "" : "; ", finding.advice);
    if (!finding.pass.empty()) {
      step.command = StrCat("preon lint ", ShellWord(file), " --fix -o FASTER.onnx");
      PREON_ASSIGN_OR_RETURN(step.enough, IsEnoughFixed(file));
    }
    result_.steps.push_back(std::move(step));
    return Status::Ok();
  }

  Result<bool> IsEnoughFixed(const std::string& file) {
    Options fixing = run_.options;
    fixing.fix = true;
    fixing.outputs.file = of_.folder.File("fixed.onnx");
    const auto fix = [&](RunInputs& again) { return LintVerb(file, again); };
    const Result<LintResult> fixed = RunWith(fixing, MadeUpSamples(), run_, fix);
    if (!fixed.ok()) return fixed.status().id() == ErrorId::kCancelled ? Result<bool>(fixed.status()) : false;
    PREON_ASSIGN_OR_RETURN(ValidatedModel model, of_.judge->Evaluate(fixing.outputs.file, "fixed"));
    const double seconds = run_.options.latency_seconds.value_or(kSecondsOfFixed);
    PREON_ASSIGN_OR_RETURN(const LatencyPair latency, of_.judge->MeasureSpeed(fixing.outputs.file, 1, seconds));
    model.alarms = FindAlarms({.compare = model.compare, .speedup = latency.speedup});
    PREON_ASSIGN_OR_RETURN(const std::vector<std::string> why_not, of_.candidates.WhyNot(model, latency));
    return why_not.empty();
  }

  // Nothing but the speed is wrong.
  Status FindFaster(bool judges_files) {
    if (judges_files && !IsEnough())
      PREON_RETURN_IF_ERROR(TryStep("range_method", "preon's own quantization is faster", Given(run_.options)));
    if (run_.options.target && !judges_files)
      PREON_RETURN_IF_ERROR(
          TryStep("target", "the target that quantize chooses itself is faster",
                  With("target of preon's choice", "", {"target"}, [](Options& changed) { changed.target.reset(); })));
    if (of_.has_float_layers && !IsEnough())
      PREON_RETURN_IF_ERROR(
          TryStep("float_layers", "no layers in float for accuracy: faster, and near enough to float",
                  With("no layers in float", "--budget 0", {"budget"}, [](Options& changed) { changed.budget = 0; })));
    const Speedup& speedup = result_.latency_one.speedup;
    const bool is_slower = speedup.median > 0 && speedup.high < 1;  // than float, not only than required
    const bool float_is_enough = std::ranges::all_of(
        run_.options.requirements, [&](const Requirement& requirement) { return FloatMeets(requirement); });
    if (IsEnough() || (!of_.is_refused && !is_slower) || !float_is_enough) return Status::Ok();
    result_.steps.push_back({.kind = "keep_float",
                             .advice = of_.is_refused
                                           ? "keep the float model: quantize finds nothing to gain and writes no result"
                                           : "keep the float model: it is faster",
                             .enough = true});
    return Status::Ok();
  }

  // Nothing is lost of accuracy.
  bool FloatMeets(const Requirement& requirement) const {
    switch (requirement.figure) {
      case RequiredFigure::kSpeed:
        return requirement.limit <= 1;
      case RequiredFigure::kLatency:
        return result_.latency_one.reference.p50 <= requirement.limit;
      case RequiredFigure::kSize:
      case RequiredFigure::kSizeShare:
        return result_.float_size_bytes <= BytesOf(requirement, result_.float_size_bytes);
      default:
        return true;
    }
  }

  Status FindNearer(bool judges_files) {
    if (!run_.options.eval_data.empty() && run_.choices.target->NeedsStatistics(run_.choices.plan))
      PREON_RETURN_IF_ERROR(TryOtherData());
    if (judges_files)
      PREON_RETURN_IF_ERROR(
          TryStep("range_method", "preon's own quantization is nearer to float", Given(run_.options)));
    const ValidatedModel& best = result_.models[result_.best];
    if (!judges_files && result_.best != result_.judged && best.failed.empty())
      AddStep("range_method", StrCat("another method for ranges is nearer to float: ", best.name), best,
              CommandWith(best.options, kOfMethods));
    const Options& options = run_.options;
    if (!options.plan.per_channel)
      PREON_RETURN_IF_ERROR(
          TryStep("granularity", "one scale per channel of the weights in place of one per tensor",
                  With("per channel", "", {"per-tensor"}, [](Options& changed) { changed.plan.per_channel = true; })));
    if (options.plan.activation_symmetric.value_or(false))
      PREON_RETURN_IF_ERROR(TryStep(
          "granularity", "asymmetric activations use all codes",
          With("asymmetric", "", {"symmetric"}, [](Options& changed) { changed.plan.activation_symmetric.reset(); })));
    if (IsEnough()) return Status::Ok();
    PREON_RETURN_IF_ERROR(TryFloatLayers());
    if (IsEnough()) return Status::Ok();
    if (options.ranges.effort != Effort::kHigh && !Judged().compare.outputs.empty())
      PREON_RETURN_IF_ERROR(TryStep("weight_algorithm", "weight codes fitted so that their errors cancel",
                                    With("effort high", "--effort high", {"effort"},
                                         [](Options& changed) { changed.ranges.effort = Effort::kHigh; })));
    if (IsEnough()) return Status::Ok();
    PREON_RETURN_IF_ERROR(TryOtherTargets());
    if (IsEnough()) return Status::Ok();
    return TryMoreBits();
  }

  // Those that find scales in each run.
  Status TryOtherTargets() {
    for (const OtherTarget& other : run_.choices.target->InsteadOfIt()) {
      Candidate candidate{.name = StrCat("target ", other.name),
                          .options = StrCat("--target ", other.name),
                          .settings = WithTarget(other, run_.options),
                          .written = WrittenWhen::kWithGain,
                          .replaces = {"target", "calib", "effort", "budget"}};
      candidate.settings.write.always = false;
      const Result<Choices> choices = Resolve(candidate.settings, run_.builtins);
      if (!choices.ok() || !choices.value().target->QuantizesActivations()) continue;
      PREON_RETURN_IF_ERROR(TryStep("target", "scales of activations that are found in each run", candidate));
    }
    return Status::Ok();
  }

  // Says what the few bits cost, but those who asked for them want them: training is the next step.
  Status TryMoreBits() {
    const TensorType& weight = run_.choices.plan.weight;
    if (weight.block() != nullptr || weight.bits() >= 8) return Status::Ok();
    PREON_RETURN_IF_ERROR(TryStep("weight_bits", "weights of 8 bits",
                                  With("weights of 8 bits", "--weight int8", {"weight"},
                                       [](Options& changed) { changed.types.weight = TensorType(DataType::kInt8); })));
    if (!IsEnough()) return Status::Ok();
    result_.steps.back().enough = false;
    result_.steps.back().advice += " would be good enough";
    return Status::Ok();
  }

  bool IsEnough() const { return std::ranges::any_of(result_.steps, &NextStep::enough); }
  const ValidatedModel& Judged() const { return result_.models[result_.judged]; }

  // What samples like those that it is judged by would give: half of them calibrate, the others judge.
  Status TryOtherData() {
    PREON_ASSIGN_OR_RETURN(const SplitSamples split, SplitOf(of_.kept.judging, of_.inputs));
    if (CountSamples(split.held_out) < kLeastHeldOut) return Status::Ok();
    const Samples fit = Without(of_.kept.judging, split.held_out), judging = Without(of_.kept.judging, split.used);
    const Samples reference = of_.reference.open ? Without(of_.reference, split.used) : Samples();
    ModelJudge judge(of_.model, judging, reference, of_.asked, run_.context);
    PREON_RETURN_IF_ERROR(judge.Begin());
    PREON_ASSIGN_OR_RETURN(const std::string other,
                           CollectStatistics(of_.model, run_.options, fit, "other", run_, of_.folder));
    const Candidate given = With(std::string(kAsGiven), "", {}, [](Options&) {});
    PREON_ASSIGN_OR_RETURN(const Tried before, of_.candidates.Try(given, of_.statistics, of_.kept.fit, judge));
    PREON_ASSIGN_OR_RETURN(const Tried after, of_.candidates.Try(given, other, fit, judge));
    if (!before.model.failed.empty() || !after.model.failed.empty()) return Status::Ok();
    const double gain = WorstSqnrDb(after.model.compare) - WorstSqnrDb(before.model.compare);
    if (gain < kMuchDb) return Status::Ok();
    std::string data = "--data";
    for (const std::string& source : run_.options.eval_data) data += " " + ShellWord(source);
    result_.steps.push_back({.kind = "data",
                             .advice = "the samples of --data differ from those used for judging: calibrate with "
                                       "samples that are prepared as in production",
                             .command = CommandWith(data, {"data", "input", "samples"}),
                             .gain_db = gain,
                             .enough = after.model.why_not.empty()});
    return Status::Ok();
  }

  Status TryFloatLayers() {
    const bool none_yet = run_.options.budget == 0.0;
    const char* budget = none_yet ? "" : "--budget 25";
    const Candidate candidate = With("layers in float", budget, kOfLayersInFloat, [&](Options& o) {
      o.ranges.method = "auto";
      o.ranges.effort = Effort::kDefault;
      o.budget = none_yet ? std::optional<double>() : 0.25;
    });
    PREON_ASSIGN_OR_RETURN(const Tried tried, Try(candidate));
    const AccuracyFallback& fallback = tried.fallback;
    std::vector<std::string> nodes;
    for (const FallbackTrial& trial : fallback.trials)
      if (trial.kept) nodes.insert(nodes.end(), trial.nodes.begin(), trial.nodes.end());
    if (nodes.empty()) return Status::Ok();
    const std::string advice = StrCat(
        result_.files > 0 ? "preon's own quantization with layers in float: " : "layers in float: ",
        FirstNames(nodes, kMostNames), ", about ", static_cast<int64_t>(100 * fallback.cost + 0.5), " % of the time");
    std::string excluded = "--budget 0";  // no layers beside those
    for (const std::string& node : nodes) excluded += " --exclude " + ShellQuoted(node);
    // The budget that found the layers finds them again.
    if (excluded.size() > kMostPastedBytes) excluded = budget;
    AddStep("float_layers", advice, tried.model, CommandWith(excluded, kOfLayersInFloat));
    return Status::Ok();
  }

  Result<Tried> Try(const Candidate& candidate) {
    return of_.candidates.Try(candidate, of_.statistics, of_.kept.fit, *of_.judge);
  }

  Status TryStep(std::string kind, std::string advice, const Candidate& candidate) {
    PREON_ASSIGN_OR_RETURN(const Tried tried, Try(candidate));
    if (tried.is_refused) return Status::Ok();  // nothing is gained over float
    AddStep(std::move(kind), std::move(advice), tried.model, CommandWith(candidate.options, candidate.replaces));
    return Status::Ok();
  }

  // Named where it is enough, or where accuracy is missed and it gains much without making a file larger that is too
  // large.
  void AddStep(std::string kind, std::string advice, const ValidatedModel& tried, std::string command) {
    if (!tried.failed.empty()) return;
    const double gain = WorstSqnrDb(tried.compare) - WorstSqnrDb(Judged().compare);
    const bool grows_too_large = tried.size_bytes > Judged().size_bytes && IsTooLarge(tried.size_bytes);
    if (!tried.why_not.empty() && (of_.is_accurate || gain < kMuchDb || grows_too_large)) return;
    NextStep step{.kind = std::move(kind),
                  .advice = std::move(advice),
                  .command = std::move(command),
                  .gain_db = gain,
                  .enough = tried.why_not.empty()};
    if (tried.metric) step.metric_gain = (Judged().metric ? Judged().metric->loss : 0) - tried.metric->loss;
    result_.steps.push_back(std::move(step));
  }

  bool IsTooLarge(int64_t size_bytes) const {
    return std::ranges::any_of(run_.options.requirements, [&](const Requirement& each) {
      const bool is_size = each.figure == RequiredFigure::kSize || each.figure == RequiredFigure::kSizeShare;
      return is_size && each.at_most && size_bytes > BytesOf(each, result_.float_size_bytes);
    });
  }

  // To paste. What is required was judged here, by other samples than quantize has, and may not hold.
  std::string CommandWith(const std::string& more, std::set<std::string> replaced) const {
    replaced.insert("require");
    const GivenSettings& given = run_.options.given;
    return QuantizeCommand(of_.model, given.config_file, given.settings, more, std::move(replaced));
  }

  void AddFasterMachine() {
    result_.steps.push_back({.kind = "faster_machine",
                             .advice = "nothing that was tried is fast enough: neither training nor a type with more "
                                       "bits makes the model faster; take a smaller model or a faster processor"});
  }

  void AddTraining() {
    const bool has_bits = std::ranges::find(result_.steps, "weight_bits", &NextStep::kind) != result_.steps.end();
    result_.steps.push_back(
        {.kind = "training",
         .advice = has_bits
                       ? "nothing that keeps the bits of the weights is enough: quantization-aware training"
                       : "nothing that was tried is enough: quantization-aware training, or a type with more bits"});
  }

  Validation& of_;
  RunInputs& run_;
  ValidateResult& result_;
};

}  // namespace

Candidate Given(const Options& options) {
  return {.name = std::string(kAsGiven), .options = "", .settings = options, .written = WrittenWhen::kAsQuantize};
}

Status FindSteps(Validation& of, const std::string& file) { return StepFinder(of).Find(file); }

}  // namespace preon
