// Requirements: --require "drop<=1%,speed>=1.5,size<=4MB": what a result must reach to be written.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "eval/compare_models.h"
#include "eval/latency.h"
#include "eval/metrics/metric.h"

namespace preon {

enum class RequiredFigure { kDrop, kAgreement, kSqnr, kSpeed, kLatency, kSize, kSizeShare };

struct Requirement {
  RequiredFigure figure = RequiredFigure::kSqnr;
  bool at_most = false;  ///< else at least
  double limit = 0;      ///< share, dB, factor, milliseconds, bytes; of a drop: in `metric_unit`
  std::string text;      ///< as given
  /// The unit that a drop is given in; none: that of the metric, whatever it is.
  std::optional<MetricUnit> metric_unit = {};
};

/// Of a limit of the size.
int64_t BytesOf(const Requirement& limit, int64_t float_size_bytes);

/// NAME<=VALUE or NAME>=VALUE, with commas between them. Errors: kBadOptionValue naming what is known.
Result<std::vector<Requirement>> ParseRequirements(std::string_view text);

/// By how much the quantized model is worse, in the metric's unit, and where other samples would put it.
struct MetricDrop {
  double value = 0;
  MetricUnit unit = MetricUnit::kShare;
  std::optional<ConfidenceInterval> interval;
};

/// What can be required, as far as it was measured.
struct ResultQuality {
  const Comparison& compare;
  std::optional<MetricDrop> metric_drop;  ///< of a metric other than top-1 accuracy
  LatencyPair latency;
  int64_t float_size_bytes = 0, quantized_size_bytes = 0;
};

struct RequirementOutcome {
  std::string requirement;
  std::string measured;  ///< "18.2 dB (17.0 to 19.4)"
  bool holds = false;
  bool sure = true;  ///< the whole interval says the same
};

/// Errors: kBadOptionValue where a drop is required in another unit than that of the metric, with what to write.
Status CheckDropUnit(const std::vector<Requirement>& requirements, MetricUnit unit);

/// Errors: kMissingOption where a figure was not measured, with what it needs; those of CheckDropUnit.
Result<std::vector<RequirementOutcome>> JudgeRequirements(const std::vector<Requirement>& requirements,
                                                          const ResultQuality& quality);

/// What does not hold as one clause; empty where all holds.
std::string WhyNotMet(const std::vector<RequirementOutcome>& outcomes);
/// A warning for each that holds, but not surely.
std::vector<std::string> WarningsOfUnsure(const std::vector<RequirementOutcome>& outcomes);

}  // namespace preon
