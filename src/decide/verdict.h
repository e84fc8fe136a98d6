// Verdict: may a quantized model be shipped, and if not, which step comes next (docs/design/validate.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decide/alarm.h"
#include "decide/requirement.h"
#include "eval/compare_models.h"
#include "eval/metrics/metric.h"

namespace preon {

enum class Verdict {
  kShip,
  kAdjust,    ///< a step was tried that makes it good enough
  kEscalate,  ///< none was found: quantization-aware training, or a better number format
};

/// A metric of both models.
struct MetricFigures {
  std::string name;
  MetricUnit unit = MetricUnit::kShare;
  double float_value = 0, quantized_value = 0;
  double loss = 0;  ///< by how much the quantized model is worse, in the metric's unit
  std::optional<ConfidenceInterval> loss_interval;
  bool of_float = false;  ///< what the float model finds is what there should be
};

/// The metric that was asked for, else top-1 accuracy where there are labels.
std::optional<MetricFigures> MetricOf(const std::optional<MetricFigures>& asked_for, const Comparison& compare);

/// What is known of one quantized model.
struct ModelQuality {
  const Comparison& compare;
  const std::optional<MetricFigures>& metric;
  const LatencyPair& latency;
  const std::vector<Alarm>& alarms;
  int64_t float_size_bytes = 0, quantized_size_bytes = 0;
};

/// Each one clause; none: it may be shipped. Without requirements: the metric (or top-1 accuracy) may lose 1 point, 1 %
/// or 0.3 dB, or what cannot be told from nothing at 20 dB; without labels 95 % of the top classes agree; without
/// classes 20 dB. No alarm but that of a large file. Errors: kMissingOption for requirements that were not measured.
Result<std::vector<std::string>> WhyNotShip(const ModelQuality& quality, const std::vector<Requirement>& requirements);

/// Something to do, tried or not.
struct NextStep {
  /// other_file, data, range_method, granularity, float_layers, weight_algorithm, target, weight_bits, latency,
  /// keep_float, faster_machine, training
  std::string kind;
  std::string advice;                 ///< what to do, and why
  std::string command;                ///< to paste; may be empty
  std::optional<double> gain_db;      ///< measured
  std::optional<double> metric_gain;  ///< measured, in the metric's unit; above 0: better
  bool enough = false;                ///< the result could be shipped
};

/// The verdict on what was found with what was tried: the first step that is enough decides.
Verdict Decide(const std::vector<std::string>& why_not, const std::vector<NextStep>& steps);
std::string_view VerdictName(Verdict verdict);

}  // namespace preon
