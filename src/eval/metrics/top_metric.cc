// Share of samples whose label is among the largest scores.
#include "eval/metrics/mean_metric.h"
#include "eval/metrics/metrics.h"
#include "eval/values.h"

namespace preon {
namespace {

class TopMetric final : public Metric {
 public:
  explicit TopMetric(int64_t first)
      : first_(first),
        name_(StrCat("top", first)),
        summary_(first == 1 ? "share of samples whose label has the largest score"
                            : StrCat("share of samples whose label is among the ", first, " largest scores")) {}

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  MetricUnit unit() const override { return MetricUnit::kShare; }
  std::unique_ptr<MetricRun> Begin() const override {
    return std::make_unique<MeanRun>(
        [this](const Batch& batch, const std::vector<NamedTensor>& outputs) { return Score(batch, outputs); });
  }

 private:
  Result<std::vector<SampleScore>> Score(const Batch& batch, const std::vector<NamedTensor>& outputs) const {
    PREON_ASSIGN_OR_RETURN(const ClassScoresOf scores, FindClassScores(name_, batch, outputs));
    if (first_ >= static_cast<int64_t>(scores.classes))
      return Error(ErrorId::kBadOptionValue, "--metric ", name_, ": the model has ", scores.classes,
                   " classes, so every answer counts as right; wanted top", scores.classes - 1, " or less");
    PREON_ASSIGN_OR_RETURN(const std::vector<int64_t> labels, FindLabels(name_, batch, scores.classes));
    std::vector<SampleScore> right;
    for (size_t sample = 0; sample < labels.size(); ++sample)
      right.push_back({RankOf(scores.row(sample), labels[sample]) < first_ ? 1.0 : 0.0});
    return right;
  }

  const int64_t first_;
  const std::string name_, summary_;
};

}  // namespace

std::unique_ptr<Metric> MakeTopMetric(int64_t classes) { return std::make_unique<TopMetric>(classes); }

}  // namespace preon
