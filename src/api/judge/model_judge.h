// ModelJudge: a float model's outputs and metric on the samples that models are judged by, and models against it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/output/temp_dir.h"
#include "eval/metrics/metric.h"
#include "pipeline/run_inputs.h"
#include "report/results/validated.h"

namespace preon {

/// --metric: one of the registry, or a Python file.
struct AskedMetric {
  std::shared_ptr<const Metric> metric;  ///< null: none, or a script
  std::string script;                    ///< ""
};
/// Errors: kUnknownOption, kDataNotFound for a script that is not there; those of CheckDropUnit, where the unit is
/// known before anything runs.
Result<AskedMetric> ParseMetric(const std::string& text, const std::vector<Requirement>& requirements);

class ModelJudge {
 public:
  /// What it is given outlives it. @param reference  what the first output should be; no `open`: not known
  ModelJudge(std::string float_model, const Samples& samples, Samples reference, const AskedMetric& asked,
             const RunContext& context);
  ~ModelJudge();

  /// Runs the float model. Errors: the runtime's, the source's, those of the metric.
  Status Begin();
  /// Figures of a quantized model in a file but its latency; alarms of what is measured here.
  Result<ValidatedModel> Evaluate(const std::string& file, std::string name);
  /// The first batch through both.
  Result<LatencyPair> MeasureSpeed(const std::string& file, int threads, double seconds) const;

 private:
  struct Score;
  Result<std::unique_ptr<DataSource>> Open() const;
  /// Of the metric in the registry; empty without one.
  Score BeginScore() const;
  Result<Score> ScoreByScript(const std::string& model) const;
  /// Where nothing else says what there should be, and the metric can do with what the float model finds.
  Status TakeAsReference(const std::vector<NamedTensor>& outputs, Batch& batch);
  Result<MetricFigures> FiguresOf(const Score& quantized) const;

  const std::string float_model_;
  const Samples& samples_;
  const Samples reference_;
  const AskedMetric& asked_;
  const RunContext& context_;
  std::optional<Session> session_;  // of the float model, where not all of its outputs are kept
  std::vector<TensorSpec> inputs_;
  TensorSpec first_output_;
  std::map<int64_t, std::vector<NamedTensor>> outputs_;        // of the float model, by first sample, up to a bound
  std::map<int64_t, std::vector<NamedTensor>> own_reference_;  // of its outputs, by first sample
  std::unique_ptr<Score> float_score_;
};

}  // namespace preon
