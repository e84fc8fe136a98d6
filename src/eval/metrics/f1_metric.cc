#include <map>

#include "eval/metrics/mean_metric.h"
#include "eval/metrics/metrics.h"
#include "eval/values.h"

namespace preon {
namespace {

class F1Run final : public MetricRun {
 public:
  Status Add(const Batch& batch, const std::vector<NamedTensor>& outputs) override {
    PREON_ASSIGN_OR_RETURN(const ClassScoresOf scores, FindClassScores("f1", batch, outputs));
    PREON_ASSIGN_OR_RETURN(const std::vector<int64_t> labels, FindLabels("f1", batch, scores.classes));
    for (size_t sample = 0; sample < labels.size(); ++sample)
      answers_.emplace_back(labels[sample], ArgMax(scores.row(sample)));
    return Status::Ok();
  }
  size_t count() const override { return answers_.size(); }

  // Mean over the classes that occur of 2·TP / (2·TP + FP + FN).
  double Value(std::span<const size_t> samples) const override {
    struct Counts {
      int64_t right = 0, labelled = 0, answered = 0;
    };
    std::map<int64_t, Counts> classes;
    for (const size_t sample : samples) {
      const auto& [label, answer] = answers_[sample];
      ++classes[label].labelled;
      ++classes[answer].answered;
      classes[label].right += label == answer;
    }
    double sum = 0;
    for (const auto& [which, counts] : classes)
      sum += 2 * static_cast<double>(counts.right) / static_cast<double>(counts.labelled + counts.answered);
    return sum / static_cast<double>(classes.size());
  }

 private:
  std::vector<std::pair<int64_t, int64_t>> answers_;  // label, class with the largest score
};

class F1Metric final : public Metric {
 public:
  std::string_view name() const override { return "f1"; }
  std::string_view summary() const override {
    return "F1 of the classes, their mean (macro): counts rare classes fully";
  }
  MetricUnit unit() const override { return MetricUnit::kShare; }
  std::unique_ptr<MetricRun> Begin() const override { return std::make_unique<F1Run>(); }
};

}  // namespace

std::unique_ptr<Metric> MakeF1Metric() { return std::make_unique<F1Metric>(); }

}  // namespace preon
