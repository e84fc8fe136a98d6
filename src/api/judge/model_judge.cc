#include "api/judge/model_judge.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "eval/compare_runs.h"
#include "eval/feeds.h"
#include "eval/metrics/metrics.h"
#include "eval/open_model.h"
#include "pipeline/output.h"

namespace preon {
namespace {

constexpr size_t kMostKeptBytes = size_t{48} << 20;

// Runs evaluate(model) of a Python file; its last line is the answer.
constexpr std::string_view kDriver = R"(
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("metric", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
value = module.evaluate(sys.argv[2])
values = [float(each) for each in value] if hasattr(value, "__len__") else [float(value)]
print("\n" + json.dumps({"preon_values": values, "higher_is_better": bool(getattr(module, "higher_is_better", True)),
                         "unit": str(getattr(module, "unit", "share"))}))
)";

// Adds what the first output should be to each batch.
class WithExpected final : public DataSource {
 public:
  WithExpected(std::unique_ptr<DataSource> source, std::unique_ptr<DataSource> expected)
      : source_(std::move(source)), expected_(std::move(expected)) {}
  std::optional<int64_t> SampleCount() const override { return source_->SampleCount(); }
  int64_t BatchSize() const override { return source_->BatchSize(); }
  Result<std::optional<Batch>> Next() override {
    PREON_ASSIGN_OR_RETURN(std::optional<Batch> batch, source_->Next());
    if (!batch) return batch;
    while (!next_ || next_->first_sample < batch->first_sample) {
      PREON_ASSIGN_OR_RETURN(next_, expected_->Next());
      if (!next_)
        return Error(ErrorId::kDataShape, "--reference: fewer samples than the data: none for ", batch->names.front());
    }
    if (next_->samples != batch->samples)
      return Error(ErrorId::kDataShape, "--reference: ", next_->samples, " samples beside a run of ", batch->samples);
    batch->expected = next_->feeds;
    return batch;
  }

 private:
  const std::unique_ptr<DataSource> source_, expected_;
  std::optional<Batch> next_;
};

constexpr std::string_view kUnitHint =
    "a variable `unit` in the script says what evaluate(model) returns: \"share\" (from 0 to 1, the default), "
    "\"percent\", \"dB\", \"nats\" or \"number\"; higher_is_better = False that less is better";

// `values` become those in the unit that is returned. Errors: kBadOptionValue for another unit, and shares that are
// none.
Result<MetricUnit> TakeUnit(const std::string& name, std::vector<double>& values) {
  const bool percent = name == "percent";
  const auto texts = MetricUnitTexts();
  const auto text = std::ranges::find(texts, percent ? "share" : name, &MetricUnitText::name);
  if (text == texts.end())
    return Error(ErrorId::kBadOptionValue, "unit: got '", name, "', wanted share, percent, dB, nats or number")
        .WithHint(std::string(kUnitHint));
  for (double& value : values) {
    const double given = value;
    if (percent) value /= text->factor;
    if (text->unit == MetricUnit::kShare && !(value >= 0 && value <= 1))
      return Error(ErrorId::kBadOptionValue, "evaluate(model) returned ", given, ", wanted a ", name, " from 0 to ",
                   percent ? text->factor : 1)
          .WithHint(std::string(kUnitHint));
  }
  return text->unit;
}

}  // namespace

Result<AskedMetric> ParseMetric(const std::string& text, const std::vector<Requirement>& requirements) {
  AskedMetric asked;
  if (text.empty()) {
    PREON_RETURN_IF_ERROR(CheckDropUnit(requirements, MetricUnit::kShare));
    return asked;
  }
  if (text.ends_with(".py")) {
    std::error_code ignored;
    if (!std::filesystem::exists(text, ignored))
      return Error(ErrorId::kDataNotFound, "--metric: ", text, ": no such file");
    asked.script = text;
    return asked;
  }
  Result<MetricChoice> metric = FindMetric(text);
  if (!metric.ok()) return std::move(metric).status().WithContext("--metric");
  asked.metric = std::move(metric).value();
  PREON_RETURN_IF_ERROR(CheckDropUnit(requirements, asked.metric->unit()));
  return asked;
}

// A model's metric: a run of the registry's, or what a script gave.
struct ModelJudge::Score {
  std::unique_ptr<MetricRun> run;
  std::vector<double> values;  // of a script
  bool higher_is_better = true;
  MetricUnit unit = MetricUnit::kShare;

  size_t count() const { return run != nullptr ? run->count() : values.size(); }
  double Value(std::span<const size_t> samples) const {
    if (run != nullptr) return run->Value(samples);
    double sum = 0;
    for (const size_t sample : samples) sum += values[sample];
    return sum / static_cast<double>(samples.size());
  }
};

ModelJudge::ModelJudge(std::string float_model, const Samples& samples, Samples reference, const AskedMetric& asked,
                       const RunContext& context)
    : float_model_(std::move(float_model)),
      samples_(samples),
      reference_(std::move(reference)),
      asked_(asked),
      context_(context) {}
ModelJudge::~ModelJudge() = default;

Result<std::unique_ptr<DataSource>> ModelJudge::Open() const {
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, samples_.open(inputs_, {}));
  if (reference_.open) {
    const TensorSpec wanted = asked_.metric != nullptr ? asked_.metric->Reference(first_output_) : first_output_;
    PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> expected, reference_.open({wanted}, {}));
    source = std::make_unique<WithExpected>(std::move(source), std::move(expected));
  }
  return Prefetch(std::move(source));
}

ModelJudge::Score ModelJudge::BeginScore() const {
  if (asked_.metric == nullptr) return {};
  return {.run = asked_.metric->Begin(),
          .higher_is_better = asked_.metric->higher_is_better(),
          .unit = asked_.metric->unit()};
}

Result<ModelJudge::Score> ModelJudge::ScoreByScript(const std::string& model) const {
  PREON_ASSIGN_OR_RETURN(ChildProcess child, ChildProcess::Start({"/usr/bin/env", "python3", "-B", "-c",
                                                                  std::string(kDriver), asked_.script, model}));
  std::vector<std::string> lines;
  const ChildProcess* const children[] = {&child};
  while (child.ReadLines(lines)) {
    PREON_RETURN_IF_ERROR(context_.CheckCancelled());
    ChildProcess::WaitForAny(children, std::chrono::milliseconds(100));
  }
  const ChildEnd end = child.Wait();
  const auto answer = nlohmann::json::parse(lines.empty() ? "" : lines.back(), nullptr, false);
  const bool ok = end.exit_status == 0 && end.signal == 0 && answer.is_object() && answer.contains("preon_values");
  if (!ok)
    return Error(ErrorId::kRuntimeRun, "--metric ", asked_.script, ": evaluate(\"", model,
                 "\") failed: ", lines.empty() ? EndText(end) : lines.back())
        .WithHint("the script has a function evaluate(model) that returns a number or one number for each sample");
  Score score{.values = answer["preon_values"].get<std::vector<double>>(),
              .higher_is_better = answer["higher_is_better"].get<bool>()};
  if (score.values.empty()) return Error(ErrorId::kRuntimeRun, "--metric ", asked_.script, ": no value");
  const Result<MetricUnit> unit = TakeUnit(answer["unit"].get<std::string>(), score.values);
  if (!unit.ok()) return Status(unit.status()).WithContext("--metric ", asked_.script);
  score.unit = *unit;
  return score;
}

Status ModelJudge::TakeAsReference(const std::vector<NamedTensor>& outputs, Batch& batch) {
  if (asked_.metric == nullptr || reference_.open) return Status::Ok();
  PREON_ASSIGN_OR_RETURN(std::vector<NamedTensor> reference, asked_.metric->ReferenceOf(batch, outputs));
  if (!reference.empty()) batch.expected = own_reference_[batch.first_sample] = std::move(reference);
  return Status::Ok();
}

Status ModelJudge::Begin() {
  PREON_ASSIGN_OR_RETURN(session_, OpenSession(float_model_, {.threads = context_.ThreadCount()}, context_));
  inputs_ = session_->inputs();
  first_output_ = session_->outputs().front();
  if (!asked_.script.empty()) {
    PREON_ASSIGN_OR_RETURN(Score score, ScoreByScript(float_model_));
    float_score_ = std::make_unique<Score>(std::move(score));
  }
  PREON_ASSIGN_OR_RETURN(const std::unique_ptr<DataSource> source, Open());
  if (asked_.metric != nullptr) float_score_ = std::make_unique<Score>(BeginScore());
  size_t bytes = 0;
  int64_t samples = 0;
  while (true) {
    PREON_RETURN_IF_ERROR(context_.CheckCancelled());
    PREON_ASSIGN_OR_RETURN(std::optional<Batch> batch, source->Next());
    if (!batch) break;
    PREON_ASSIGN_OR_RETURN(std::vector<NamedTensor> outputs, OutputsOf(*session_, context_)(*batch));
    PREON_RETURN_IF_ERROR(TakeAsReference(outputs, *batch));
    if (asked_.metric != nullptr) PREON_RETURN_IF_ERROR(float_score_->run->Add(*batch, outputs));
    for (const NamedTensor& output : outputs) bytes += output.tensor.bytes().size();
    if (bytes <= kMostKeptBytes) outputs_[batch->first_sample] = std::move(outputs);
    samples += batch->samples;
    context_.Report({.stage = "float", .done = samples, .total = source->SampleCount().value_or(0)});
  }
  if (bytes <= kMostKeptBytes) session_.reset();  // its outputs are all there
  return samples > 0 ? Status::Ok() : Error(ErrorId::kDataEmpty, "validate: no samples to judge by");
}

Result<MetricFigures> ModelJudge::FiguresOf(const Score& quantized) const {
  const size_t count = std::min(float_score_->count(), quantized.count());
  std::vector<size_t> all(count);
  for (size_t i = 0; i < count; ++i) all[i] = i;
  const double sign = quantized.higher_is_better ? 1 : -1;
  const auto loss = [&](std::span<const size_t> drawn) {
    return sign * (float_score_->Value(drawn) - quantized.Value(drawn));
  };
  MetricFigures figures{.name = asked_.metric != nullptr ? std::string(asked_.metric->name())
                                                         : std::filesystem::path(asked_.script).filename().string(),
                        .unit = quantized.unit,
                        .float_value = float_score_->Value(all),
                        .quantized_value = quantized.Value(all),
                        .loss = loss(all),
                        .of_float = !own_reference_.empty()};
  if (count > 1) figures.loss_interval = BootstrapInterval(count, loss);
  return figures;
}

Result<ValidatedModel> ModelJudge::Evaluate(const std::string& file, std::string name) {
  ValidatedModel model{.name = std::move(name), .size_bytes = ModelSizeBytes(file)};
  PREON_ASSIGN_OR_RETURN(Session session, OpenSession(file, {.threads = context_.ThreadCount()}, context_));
  PREON_ASSIGN_OR_RETURN(const std::unique_ptr<DataSource> source, Open());
  Score score = BeginScore();
  const ModelOutputs reference = [&](const Batch& batch) -> Result<std::vector<NamedTensor>> {
    const auto known = outputs_.find(batch.first_sample);
    if (known != outputs_.end()) return known->second;
    return OutputsOf(*session_, context_)(batch);
  };
  const ModelOutputs other = [&](const Batch& batch) -> Result<std::vector<NamedTensor>> {
    PREON_ASSIGN_OR_RETURN(std::vector<NamedTensor> outputs, OutputsOf(session, context_)(batch));
    if (score.run == nullptr) return outputs;
    Batch judged = batch;
    if (const auto own = own_reference_.find(batch.first_sample); own != own_reference_.end())
      judged.expected = own->second;
    PREON_RETURN_IF_ERROR(score.run->Add(judged, outputs));
    return outputs;
  };
  PREON_ASSIGN_OR_RETURN(model.compare, Compare(reference, other, *source, {}, context_));
  if (!asked_.script.empty()) {
    PREON_ASSIGN_OR_RETURN(score, ScoreByScript(file));
  }
  if (score.run != nullptr || !score.values.empty()) {
    PREON_ASSIGN_OR_RETURN(model.metric, FiguresOf(score));
  }
  model.alarms = FindAlarms({.compare = model.compare});
  return model;
}

Result<LatencyPair> ModelJudge::MeasureSpeed(const std::string& file, int threads, double seconds) const {
  RunContext context = context_;
  context.threads = threads;
  PREON_ASSIGN_OR_RETURN(Session reference, OpenSession(float_model_, TimedSession(context), context));
  PREON_ASSIGN_OR_RETURN(Session other, OpenSession(file, TimedSession(context), context));
  PREON_ASSIGN_OR_RETURN(const Batch batch, FirstBatch(samples_, reference.inputs()));
  return ConfirmSlower([&](double longer) {
    return MeasureLatency(reference, other, batch.feeds, batch.samples, longer * seconds, context);
  });
}

}  // namespace preon
