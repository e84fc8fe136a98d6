#include "eval/metrics/metrics.h"

#include <numeric>

#include "base/text.h"

namespace preon {
MetricRegistry MakeMetrics() {
  MetricRegistry metrics{"metric"};
  metrics.Add(MakeTopMetric(1));
  metrics.Add(MakeTopMetric(5));
  metrics.Add(MakeF1Metric());
  metrics.Add(MakeNllMetric());
  metrics.Add(MakeMapMetric());
  metrics.Add(MakeWerMetric());
  metrics.Add(MakePsnrMetric());
  metrics.Add(MakeSiSdrMetric());
  return metrics;
}

Result<std::vector<NamedTensor>> Metric::ReferenceOf(const Batch&, const std::vector<NamedTensor>&) const {
  return std::vector<NamedTensor>();
}

double ValueOf(const MetricRun& run) {
  std::vector<size_t> all(run.count());
  std::iota(all.begin(), all.end(), size_t{0});
  return run.Value(all);
}

Result<MetricChoice> FindMetric(std::string_view name) {
  if (name.starts_with("top")) {
    const std::optional<int64_t> classes = ParseNumber<int64_t>(name.substr(3));
    if (classes && *classes > 0) return MetricChoice(MakeTopMetric(*classes));
  }
  const auto metrics = std::make_shared<const MetricRegistry>(MakeMetrics());
  PREON_ASSIGN_OR_RETURN(const Metric* metric, metrics->Find(name));
  return MetricChoice(metrics, metric);
}

}  // namespace preon
