#include <algorithm>
#include <cmath>

#include "eval/metrics/mean_metric.h"
#include "eval/metrics/metrics.h"
#include "eval/values.h"

namespace preon {
namespace {

// -log of the probability of `wanted`; of scores that are no probabilities, by softmax.
double LossOf(std::span<const double> row, size_t wanted) {
  double sum = 0;
  bool probabilities = true;
  for (const double value : row) {
    sum += value;
    probabilities &= value >= 0;
  }
  if (probabilities && std::abs(sum - 1) < 1e-3) return -std::log(std::max(row[wanted], 1e-30));
  const double largest = std::ranges::max(row);
  double exponentials = 0;
  for (const double value : row) exponentials += std::exp(value - largest);
  return std::log(exponentials) + largest - row[wanted];
}

// Scores of the next token at each place of integer feeds.
const NamedTensor* TokensOf(const Tensor& scores, const Batch& batch) {
  const Shape& shape = scores.shape();
  if (shape.size() != 3) return nullptr;
  const auto tokens = std::ranges::find_if(batch.feeds, [&](const NamedTensor& feed) {
    const Shape& of = feed.tensor.shape();
    return !IsFloatingType(feed.tensor.type()) && of.size() == 2 && of[0] == shape[0] && of[1] == shape[1];
  });
  return tokens == batch.feeds.end() ? nullptr : &*tokens;
}

Result<std::vector<SampleScore>> ScoreTokens(const Tensor& scores, const Tensor& tokens) {
  const std::vector<double> values = ToDoubles(scores), ids = ToDoubles(tokens);
  const auto samples = static_cast<size_t>(scores.shape()[0]), places = static_cast<size_t>(scores.shape()[1]),
             classes = static_cast<size_t>(scores.shape()[2]);
  std::vector<SampleScore> losses;
  for (size_t sample = 0; sample < samples; ++sample) {
    SampleScore loss{.sum = 0, .weight = 0};
    for (size_t place = 0; place + 1 < places; ++place) {
      const size_t at = sample * places + place;
      if (ids[at + 1] < 0 || ids[at + 1] >= static_cast<double>(classes))
        return Error(ErrorId::kDataMalformed, "--metric nll: token ", static_cast<int64_t>(ids[at + 1]),
                     "; the model has scores for 0 to ", classes - 1);
      loss.sum += LossOf(std::span(values).subspan(at * classes, classes), static_cast<size_t>(ids[at + 1]));
      ++loss.weight;
    }
    losses.push_back(loss);
  }
  return losses;
}

Result<std::vector<SampleScore>> ScoreLikelihood(const Batch& batch, const std::vector<NamedTensor>& outputs) {
  for (const NamedTensor& output : outputs) {
    if (const NamedTensor* tokens = TokensOf(output.tensor, batch)) return ScoreTokens(output.tensor, tokens->tensor);
  }
  PREON_ASSIGN_OR_RETURN(const ClassScoresOf scores, FindClassScores("nll", batch, outputs));
  PREON_ASSIGN_OR_RETURN(const std::vector<int64_t> labels, FindLabels("nll", batch, scores.classes));
  std::vector<SampleScore> losses;
  for (size_t sample = 0; sample < labels.size(); ++sample)
    losses.push_back({LossOf(scores.row(sample), static_cast<size_t>(labels[sample]))});
  return losses;
}

class NllMetric final : public Metric {
 public:
  std::string_view name() const override { return "nll"; }
  std::string_view summary() const override {
    return "mean negative log-likelihood in nats: of the next token in the samples, where the output is [N, tokens, "
           "scores], else of the labels";
  }
  MetricUnit unit() const override { return MetricUnit::kNats; }
  bool higher_is_better() const override { return false; }
  std::unique_ptr<MetricRun> Begin() const override { return std::make_unique<MeanRun>(ScoreLikelihood); }
};

}  // namespace

std::unique_ptr<Metric> MakeNllMetric() { return std::make_unique<NllMetric>(); }

}  // namespace preon
