// Trials of configurations, one after the other: docs/design/search.md.
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "api/judge/judging_samples.h"
#include "api/judge/model_judge.h"
#include "api/judge/search_samples.h"
#include "api/trial_models.h"
#include "api/verbs.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "config/files/config.h"
#include "eval/input_check.h"
#include "ir/model_io.h"
#include "pipeline/output.h"
#include "report/text_writer.h"
#include "search/space/space_file.h"
#include "search/space/study_file.h"
#include "search/space/trial_order.h"

namespace preon {
namespace {

constexpr double kSecondsOfBest = 0.5, kSecondsOfTrial = 0.2;
constexpr int64_t kDefaultTrials = 50;
constexpr double kMuchNearerToFloat = 3;  // dB
// Options that a search may go on with other values of; of samples and space what is in them counts.
constexpr auto kOfOneRun = std::to_array<std::string_view>(
    {"output", "time", "trials", "study", "threads", "tmp-dir", "space", "data", "input", "eval-data", "latency"});

class ConfigSearch {
 public:
  ConfigSearch(std::string model, RunInputs& run, const TempDir& folder, SearchSpace space, SearchResult& result)
      : model_(std::move(model)),
        run_(run),
        folder_(folder),
        space_(std::move(space)),
        result_(result),
        models_(model_, samples_.fit, run, folder) {}

  Status Run() {
    const SearchOptions& options = run_.options.search;
    PREON_ASSIGN_OR_RETURN(goal_, ParseSearchGoal(options.goal));
    PREON_ASSIGN_OR_RETURN(asked_, ParseMetric(run_.options.metric, run_.options.requirements));
    const Registry<Sampler> samplers = MakeSamplers();
    PREON_ASSIGN_OR_RETURN(sampler_, samplers.Find(options.sampler.empty() ? "tpe" : options.sampler));
    PREON_RETURN_IF_ERROR(PlanTrials());
    PREON_RETURN_IF_ERROR(DivideSamples());
    PREON_RETURN_IF_ERROR(OpenStudy());
    judge_.emplace(model_, samples_.choosing, samples_.choosing_reference, asked_, run_.context);
    PREON_RETURN_IF_ERROR(judge_->Begin());
    PREON_RETURN_IF_ERROR(TryAll());
    return Finish();
  }

 private:
  const Options& options() const { return run_.options; }
  bool MeasuresSpeed() const {
    return goal_ == SearchGoal::kSpeed || std::ranges::any_of(options().requirements, [](const Requirement& each) {
             return each.figure == RequiredFigure::kSpeed || each.figure == RequiredFigure::kLatency;
           });
  }

  Status PlanTrials() {
    if (goal_ != SearchGoal::kAccuracy && options().requirements.empty())
      return Error(ErrorId::kMissingOption, "--goal ", options().search.goal, ": wanted --require as well, such as ",
                   "sqnr>=20: the model of that kind with the largest error would be the best");
    const bool is_grid = sampler_->name() == "grid";
    result_.configurations = space_.Count(1'000'000);
    if (is_grid && !result_.configurations)
      return Error(ErrorId::kBadOptionValue, "--sampler grid: the space has numbers without a step");
    trials_ = options().search.trials.value_or(is_grid ? *result_.configurations : kDefaultTrials);
    if (result_.configurations) trials_ = std::min(trials_, *result_.configurations);
    result_.sampler = sampler_->name();
    result_.goal = options().search.goal.empty() ? "accuracy" : options().search.goal;
    result_.metric = asked_.metric != nullptr ? std::string(asked_.metric->name()) : asked_.script;
    if (result_.metric.empty()) result_.metric = "sqnr";
    return Status::Ok();
  }

  Status DivideSamples() {
    PREON_ASSIGN_OR_RETURN(const Model model, LoadModel(model_));
    inputs_ = InputSpecs(model.graph);
    fingerprint_ = model.fingerprint;
    result_.float_size_bytes = ModelSizeBytes(model_, model);
    Samples reference;
    if (const std::string& file = options().reference; !file.empty())
      reference = ReferenceSamples(file, options().data.batch);
    const Samples eval = EvalSamples(options().eval_data, options().data);
    PREON_ASSIGN_OR_RETURN(samples_, SamplesOfSearch(run_.samples, eval, reference, inputs_));
    result_.unseen = AreUnseen(options().eval_data, options().data.from, result_.warnings) && samples_.unseen;
    if (!samples_.unseen)
      result_.warnings.emplace_back(
          "too few samples to keep some apart: the figures are of samples that the search chose "
          "by; others may give worse ones");
    WarnOfRandom(options().data.from, options().eval_data, "these figures", result_.warnings);
    if (options().data.from.has_random()) return Status::Ok();
    PREON_ASSIGN_OR_RETURN(const std::unique_ptr<DataSource> source, run_.samples.open(inputs_, {}));
    const std::vector<std::string> found =
        CheckInputs(*source, inputs_, 1, [&] { return LoadModel(model_); }, run_.context);
    result_.warnings.insert(result_.warnings.end(), found.begin(), found.end());
    return Status::Ok();
  }

  Status OpenStudy() {
    const std::string& path = options().search.study;
    if (path.empty()) return Status::Ok();
    std::string settings;
    for (const Setting& setting : options().given.settings) {
      if (!Contains(kOfOneRun, setting.name)) settings += StrCat(setting.name, "=", setting.value, " ");
    }
    PREON_ASSIGN_OR_RETURN(const std::string calibrating, DigestOf(samples_.fit, inputs_));
    PREON_ASSIGN_OR_RETURN(const std::string choosing, DigestOf(samples_.choosing, inputs_));
    PREON_ASSIGN_OR_RETURN(study_, StudyFile::Open(path, {{"model", fingerprint_},
                                                          {"samples", Sha256Hex(calibrating + choosing)},
                                                          {"space", Sha256Hex(space_.description())},
                                                          {"options", settings}}));
    result_.trials = study_->trials();
    points_ = study_->points();
    result_.from_study = std::ssize(result_.trials);
    return Status::Ok();
  }

  bool TimeIsUp() const {
    const std::optional<double>& seconds = options().search.seconds;
    return seconds && run_.clock->TotalSeconds() >= *seconds;
  }

  Status TryAll() {
    const auto progress = std::exchange(run_.context.progress, {});
    const auto log = std::exchange(run_.context.log, {});
    const Status status = TryAllQuietly(progress);
    run_.context.progress = progress;
    run_.context.log = log;
    return status;
  }

  Status TryAllQuietly(const std::function<void(const Progress&)>& progress) {
    result_.ended = "trials";
    while (std::ssize(points_) < trials_) {
      if (progress) progress({.stage = "search", .done = std::ssize(points_), .total = trials_});
      if (TimeIsUp()) {
        result_.ended = "time";
        break;
      }
      const std::optional<Point> point =
          NextPoint(*sampler_, space_, AsTried(result_.trials, points_, goal_), options().data.random.seed);
      if (!point) {
        result_.ended = "all_tried";
        break;
      }
      const Result<SearchTrial> trial = Try(*point);
      if (!trial.ok() && trial.status().id() == ErrorId::kCancelled && HasModel()) {
        run_.context.cancel = nullptr;  // the best so far is written
        result_.ended = "interrupted";
        return Status::Ok();
      }
      if (!trial.ok()) return trial.status();
      points_.push_back(*point);
      result_.trials.push_back(*trial);
      if (study_) PREON_RETURN_IF_ERROR(study_->Append(*point, *trial));
    }
    if (result_.configurations && std::ssize(points_) == *result_.configurations) result_.ended = "all_tried";
    return HasModel() ? Status::Ok() : NoModel();
  }

  bool HasModel() const {
    return std::ranges::any_of(result_.trials, [](const SearchTrial& trial) { return trial.failed.empty(); });
  }
  Status NoModel() const {
    if (result_.trials.empty()) return Error(ErrorId::kRequirementNotMet, "search: no trial before --time was over");
    return Error(ErrorId::kQuantizeFailed, "search: none of ", result_.trials.size(), " configurations gave a model; ",
                 result_.trials.back().config, ": ", result_.trials.back().failed);
  }

  Result<Options> SettingsOf(const std::string& config) const {
    Options settings = options();
    PREON_RETURN_IF_ERROR(ApplyConfigText(settings, config, "trial"));
    return settings;
  }

  // Errors: only those that end the search.
  Result<SearchTrial> Try(const Point& point) {
    PREON_RETURN_IF_ERROR(run_.context.CheckCancelled());
    const double begin = run_.clock->TotalSeconds();
    SearchTrial trial{.config = space_.ConfigOf(point)};
    const Result<TrialModels::Made> made = MakeTrial(trial.config);
    if (!made.ok() && made.status().id() == ErrorId::kCancelled) return made.status();
    run_.context.BeginStage("evaluate");
    const Status judged = made.ok() ? Judge(made->file, trial) : made.status();  // what is missing is so in all trials
    if (made.ok() && !judged.ok() && (judged.id() == ErrorId::kCancelled || judged.id() == ErrorId::kMissingOption))
      return judged;
    if (!judged.ok()) trial.failed = judged.message();
    trial.seconds = run_.clock->TotalSeconds() - begin;
    return trial;
  }

  Result<TrialModels::Made> MakeTrial(const std::string& config) {
    PREON_ASSIGN_OR_RETURN(const Options settings, SettingsOf(config));
    return models_.Make(settings, false);
  }

  // Settings without effect give the same bytes, which need no second look.
  Status Judge(const std::string& file, SearchTrial& trial) {
    PREON_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file));
    const std::string digest = Sha256Hex(bytes);
    const auto known = judged_.find(digest);
    if (known != judged_.end()) {
      const std::string config = std::exchange(trial, known->second).config;
      trial.config = config;
      return Status::Ok();
    }
    PREON_ASSIGN_OR_RETURN(const ValidatedModel model, judge_->Evaluate(file, trial.config));
    LatencyPair latency;
    if (MeasuresSpeed()) {
      PREON_ASSIGN_OR_RETURN(latency, judge_->MeasureSpeed(file, 1, kSecondsOfTrial));
      trial.speedup = latency.speedup.median;
    }
    if (const OutputComparison* worst = WorstOutput(model.compare)) trial.sqnr_db = worst->sqnr_db;
    trial.agreement = model.compare.argmax_agreement;
    trial.size_bytes = model.size_bytes;
    if (model.metric) trial.metric_loss = model.metric->loss;
    PREON_ASSIGN_OR_RETURN(trial.why_not, WhyNotGoodEnough(model.compare, model.metric, model.size_bytes, latency));
    judged_[digest] = trial;
    return Status::Ok();
  }

  // "": all that is required holds.
  Result<std::string> WhyNotGoodEnough(const Comparison& compare, const std::optional<MetricFigures>& metric,
                                       int64_t size_bytes, const LatencyPair& latency) const {
    ResultQuality quality{.compare = compare,
                          .latency = latency,
                          .float_size_bytes = result_.float_size_bytes,
                          .quantized_size_bytes = size_bytes};
    if (metric) quality.metric_drop = MetricDrop{metric->loss, metric->unit, {}};
    PREON_ASSIGN_OR_RETURN(const std::vector<RequirementOutcome> outcomes,
                           JudgeRequirements(options().requirements, quality));
    return WhyNotMet(outcomes);
  }

  Status Finish() {
    const auto better = [&](const SearchTrial& a, const SearchTrial& b) { return IsBetterTrial(a, b, goal_); };
    result_.best = static_cast<size_t>(std::ranges::min_element(result_.trials, better) - result_.trials.begin());
    MarkFront(result_.trials);
    const SearchTrial& best = result_.trials[result_.best];
    PREON_ASSIGN_OR_RETURN(const std::string file, MakeBest(best));
    if (!written_.why_not.empty()) return NoneIsGoodEnough(result_.trials);
    PREON_RETURN_IF_ERROR(CompareWithGiven(best.config));
    ModelJudge judge(model_, samples_.judging, samples_.judging_reference, asked_, run_.context);
    run_.context.BeginStage("evaluate");
    PREON_RETURN_IF_ERROR(judge.Begin());
    PREON_ASSIGN_OR_RETURN(result_.judged, judge.Evaluate(file, best.config));
    run_.context.BeginStage("latency");
    const double seconds = options().latency_seconds.value_or(kSecondsOfBest);
    if (seconds > 0 || MeasuresSpeed()) {
      PREON_ASSIGN_OR_RETURN(result_.latency, judge.MeasureSpeed(file, 1, std::max(seconds, kSecondsOfTrial)));
    }
    PREON_ASSIGN_OR_RETURN(const std::string why_not, WhyNotGoodEnough(result_.judged.compare, result_.judged.metric,
                                                                       result_.judged.size_bytes, result_.latency));
    if (!why_not.empty())
      return Error(ErrorId::kRequirementNotMet, "the best configuration reaches what is required on the samples that ",
                   "chose it, not on others: ", why_not, "; ", best.config)
          .WithHint("choose with more samples (--eval-data), or ask for a little more than you need");
    result_.judged.alarms = FindAlarms({.compare = result_.judged.compare, .speedup = result_.latency.speedup});
    run_.context.BeginStage("write");
    result_.calibrations = models_.calibrations();
    PREON_ASSIGN_OR_RETURN(const Model model, LoadModel(file));
    return SaveModel(model, result_.output);
  }

  // Once from statistics alone, as its trial, and once with the samples, which biases and positions are computed from;
  // the better of both.
  Result<std::string> MakeBest(const SearchTrial& best) {
    PREON_ASSIGN_OR_RETURN(const Options settings, SettingsOf(best.config));
    std::string file = folder_.File("best.onnx");
    PREON_ASSIGN_OR_RETURN(TrialModels::Made made, models_.Make(settings, false));
    std::filesystem::rename(made.file, file);
    written_ = best;
    result_.with_samples = made.with_samples;
    if (made.with_samples) return file;
    const Result<TrialModels::Made> again = models_.Make(settings, true);
    if (!again.ok()) return again.status().id() == ErrorId::kCancelled ? Result<std::string>(again.status()) : file;
    SearchTrial with_samples;
    PREON_RETURN_IF_ERROR(Judge(again->file, with_samples));
    result_.with_samples = IsBetterTrial(with_samples, best, goal_);
    if (!result_.with_samples) return file;
    std::filesystem::rename(again->file, file);
    written_ = std::move(with_samples);
    return file;
  }

  // The space may leave out what quantize does by itself, on purpose or not.
  Status CompareWithGiven(const std::string& best) {
    PREON_ASSIGN_OR_RETURN(const Options settings, SettingsOf(best));
    if (result_.ended == "time" || result_.ended == "interrupted" || TrialModels::ChoosesBySamples(settings.ranges))
      return Status::Ok();
    const Result<TrialModels::Made> made = models_.Make(options(), true);
    if (!made.ok()) return made.status().id() == ErrorId::kCancelled ? made.status() : Status::Ok();
    SearchTrial given;
    PREON_RETURN_IF_ERROR(Judge(made->file, given));
    if (given.sqnr_db < written_.sqnr_db + kMuchNearerToFloat) return Status::Ok();
    result_.warnings.push_back(StrCat("quantize without the settings of the space is much nearer to float: ",
                                      SqnrText(given.sqnr_db), ", ", BytesText(given.size_bytes)));
    return Status::Ok();
  }

  const std::string model_;
  RunInputs& run_;
  const TempDir& folder_;
  const SearchSpace space_;
  SearchResult& result_;
  const Sampler* sampler_ = nullptr;
  SearchGoal goal_ = SearchGoal::kAccuracy;
  AskedMetric asked_;
  int64_t trials_ = 0;
  std::vector<TensorSpec> inputs_;
  std::string fingerprint_;
  SearchSamples samples_;
  TrialModels models_;
  std::optional<ModelJudge> judge_;
  std::optional<StudyFile> study_;
  std::vector<Point> points_;                  // of the trials
  std::map<std::string, SearchTrial> judged_;  // by digest of the file
  SearchTrial written_;                        // of the model that is written, on the samples that choose
};

}  // namespace

Result<SearchResult> SearchVerb(const std::string& model, RunInputs& run) {
  const Options& options = run.options;
  if (!run.samples.open || run.samples.made_up()) return MissingData("search", "--data SRC");
  if (options.search.space.empty()) return Error(ErrorId::kMissingOption, "search: no space; wanted --space FILE");
  std::vector<std::string> inputs = {model, options.search.space, options.reference, options.search.study};
  inputs.insert(inputs.end(), options.eval_data.begin(), options.eval_data.end());
  PREON_RETURN_IF_ERROR(CheckOutputs("search", options, inputs));
  PREON_ASSIGN_OR_RETURN(SearchSpace space, LoadSpace(options.search.space, options, run.builtins));
  PREON_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Create(run.context.TempDir()));
  SearchResult result{.model = model, .output = options.outputs.file};
  PREON_RETURN_IF_ERROR(ConfigSearch(model, run, folder, std::move(space), result).Run());
  result.facts = RunFactsOf(run.context, "search");
  return result;
}

}  // namespace preon
