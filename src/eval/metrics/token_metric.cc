// Word error rate: wrong, missing and additional tokens over the number of tokens there should be.
#include <algorithm>
#include <numeric>

#include "eval/metrics/mean_metric.h"
#include "eval/metrics/metrics.h"
#include "eval/values.h"

namespace preon {
namespace {

using Tokens = std::vector<int64_t>;

constexpr int64_t kBlank = 0;  // of CTC

// Negative ones fill rows up.
Tokens TokensOf(std::span<const double> row) {
  Tokens tokens;
  for (const double value : row) {
    if (value >= 0) tokens.push_back(static_cast<int64_t>(value));
  }
  return tokens;
}

// Greedy decoding of CTC: the top class of each step, repetitions once, without blanks.
Tokens DecodedTokens(std::span<const double> scores, size_t classes) {
  Tokens tokens;
  int64_t last = kBlank;
  for (size_t step = 0; step < scores.size(); step += classes) {
    const int64_t top = ArgMax(scores.subspan(step, classes));
    if (top != last && top != kBlank) tokens.push_back(top);
    last = top;
  }
  return tokens;
}

// Levenshtein's: insertions, deletions and replacements from one to the other.
double EditDistance(const Tokens& from, const Tokens& to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < to.size(); ++j) {
      const size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j + 1] + 1, row[j] + 1});
    }
  }
  return static_cast<double>(row.back());
}

// Of each sample.
Result<std::vector<Tokens>> TokensOfOutput(const Batch& batch, const std::vector<NamedTensor>& outputs) {
  const Tensor& output = outputs.front().tensor;
  const bool has_scores = IsFloatingType(output.type());
  const Shape& shape = output.shape();
  if (shape.size() != (has_scores ? 3 : 2) || shape[0] != batch.samples || shape.back() < 1)
    return Error(ErrorId::kMissingOption, "--metric wer: wanted a first output of scores, [samples, steps, classes], ",
                 "or of tokens, [samples, steps]");
  const std::vector<double> values = ToDoubles(output);
  const size_t samples = static_cast<size_t>(batch.samples), size = values.size() / samples;
  std::vector<Tokens> tokens;
  for (size_t sample = 0; sample < samples; ++sample) {
    const auto row = std::span(values).subspan(sample * size, size);
    tokens.push_back(has_scores ? DecodedTokens(row, static_cast<size_t>(shape.back())) : TokensOf(row));
  }
  return tokens;
}

Result<std::vector<SampleScore>> ScoreSequences(const Batch& batch, const std::vector<NamedTensor>& outputs) {
  if (batch.expected.empty())
    return Error(ErrorId::kMissingOption, "--metric wer: needs --reference SRC: rows of tokens, filled up with -1");
  PREON_ASSIGN_OR_RETURN(const std::vector<Tokens> got, TokensOfOutput(batch, outputs));
  const std::vector<double> wanted = ToDoubles(batch.expected.front().tensor);
  const size_t length = wanted.size() / got.size();
  std::vector<SampleScore> scores;
  for (size_t sample = 0; sample < got.size(); ++sample) {
    const Tokens right = TokensOf(std::span(wanted).subspan(sample * length, length));
    scores.push_back({.sum = EditDistance(right, got[sample]), .weight = static_cast<double>(right.size())});
  }
  return scores;
}

class WerMetric final : public Metric {
 public:
  std::string_view name() const override { return "wer"; }
  std::string_view summary() const override {
    return "errors for each token of --reference, or of the float model's; the first output has tokens, or scores "
           "(CTC, blank 0)";
  }
  MetricUnit unit() const override { return MetricUnit::kShare; }
  bool higher_is_better() const override { return false; }
  TensorSpec Reference(const TensorSpec& output) const override {
    return {output.name, DataType::kInt64, {kDynamicDim, kDynamicDim}};
  }
  Result<std::vector<NamedTensor>> ReferenceOf(const Batch& batch,
                                               const std::vector<NamedTensor>& outputs) const override {
    PREON_ASSIGN_OR_RETURN(const std::vector<Tokens> samples, TokensOfOutput(batch, outputs));
    size_t longest = 1;
    for (const Tokens& tokens : samples) longest = std::max(longest, tokens.size());
    std::vector<int64_t> rows(samples.size() * longest, -1);
    for (size_t sample = 0; sample < samples.size(); ++sample)
      std::ranges::copy(samples[sample], rows.begin() + static_cast<std::ptrdiff_t>(sample * longest));
    return std::vector<NamedTensor>{
        {"tokens", Tensor::FromInt64s({batch.samples, static_cast<int64_t>(longest)}, rows)}};
  }
  std::unique_ptr<MetricRun> Begin() const override { return std::make_unique<MeanRun>(ScoreSequences); }
};

}  // namespace

std::unique_ptr<Metric> MakeWerMetric() { return std::make_unique<WerMetric>(); }

}  // namespace preon
