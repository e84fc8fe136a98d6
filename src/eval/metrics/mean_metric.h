// MeanMetric: metrics that are a mean over the samples.
#pragma once

#include <functional>

#include "eval/metrics/metric.h"

namespace preon {

/// What one sample adds: `sum` of something over `weight` of it.
struct SampleScore {
  double sum = 0, weight = 1;
};

/// The scores of a batch's samples.
using ScoreBatch =
    std::function<Result<std::vector<SampleScore>>(const Batch& batch, const std::vector<NamedTensor>& outputs)>;

class MeanRun final : public MetricRun {
 public:
  explicit MeanRun(ScoreBatch score) : score_(std::move(score)) {}
  Status Add(const Batch& batch, const std::vector<NamedTensor>& outputs) override;
  size_t count() const override { return scores_.size(); }
  double Value(std::span<const size_t> samples) const override;

 private:
  const ScoreBatch score_;
  std::vector<SampleScore> scores_;
};

/// Rows of classes, one per sample: the first output of that form.
struct ClassScoresOf {
  std::vector<double> values;
  size_t classes = 0;
  std::span<const double> row(size_t sample) const { return std::span(values).subspan(sample * classes, classes); }
};
/// Errors: kMissingOption where no output has a row per sample.
Result<ClassScoresOf> FindClassScores(std::string_view metric, const Batch& batch,
                                      const std::vector<NamedTensor>& outputs);
/// Each sample's. Errors: kMissingOption where one has none or it is beyond the classes.
Result<std::vector<int64_t>> FindLabels(std::string_view metric, const Batch& batch, size_t classes);
/// The first output and what it should be, sample by sample. Errors: kMissingOption without an expected output.
Result<std::vector<SampleScore>> ScoreAgainstExpected(std::string_view metric, const Batch& batch,
                                                      const std::vector<NamedTensor>& outputs,
                                                      double (*score)(std::span<const double> wanted,
                                                                      std::span<const double> got));

}  // namespace preon
