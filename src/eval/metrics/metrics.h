// The metrics by name.
#pragma once

#include "eval/metrics/metric.h"

namespace preon {

std::unique_ptr<Metric> MakeTopMetric(int64_t classes);
std::unique_ptr<Metric> MakeF1Metric();
std::unique_ptr<Metric> MakeNllMetric();
std::unique_ptr<Metric> MakeMapMetric();
std::unique_ptr<Metric> MakeWerMetric();
std::unique_ptr<Metric> MakePsnrMetric();
std::unique_ptr<Metric> MakeSiSdrMetric();

/// "top1", "top7", "f1", ... Errors: kUnknownOption with the nearest name.
using MetricChoice = std::shared_ptr<const Metric>;
Result<MetricChoice> FindMetric(std::string_view name);
/// In the order of help.
MetricRegistry MakeMetrics();

}  // namespace preon
