// Latency: percentiles of run times, and two models measured side by side.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/session.h"

namespace preon {

/// Milliseconds of one run; throughput in samples per second of pure run time.
struct Latency {
  double p50 = 0, p90 = 0, p99 = 0;
  double throughput = 0;
};

/// Collects run times.
class LatencyRecorder {
 public:
  void Add(double milliseconds, int64_t samples);
  /// All zero before the first Add. Percentiles are nearest-rank.
  Latency Summarize() const;

 private:
  std::vector<double> milliseconds_;
  int64_t samples_ = 0;
};

/// Runs both sessions over the same feeds in alternating short blocks for about `seconds`, so that a change of the
/// machine's load or clock meets both; the first run of each block is a warm-up and does not count.
/// Float inputs of the models may have other types than the feeds.
/// Cost: at least 3 blocks per session. Errors: the runtime's, kCancelled.
Result<std::pair<Latency, Latency>> MeasureLatency(Session& first, Session& second,
                                                   const std::vector<NamedTensor>& feeds, int64_t samples_per_run,
                                                   double seconds, const RunContext& context);

}  // namespace preon
