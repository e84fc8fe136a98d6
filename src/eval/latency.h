// Latency: percentiles of run times, and two models measured side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
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

/// Time of the reference over time of the other, both run one after the other: the median of such pairs and an interval
/// around it.
struct Speedup {
  double median = 0, low = 0, high = 0;
  bool busy = false;  ///< the pairs differ too much, or other programs took part of the processor: not to be trusted
  /// Other programs took part of the processor, so processor time was compared: the ratio of latencies, which are by
  /// the clock, may be another one.
  bool of_processor_time = false;
};

/// Of at least one pair's ratios, all above 0, in any order.
///
/// Numerics: between the k-th smallest and the k-th largest, k as large as still covers the true median with a
///           probability of 95 % whatever the distribution (binomial; k = 2 of 10), widened by what two processes with
///           the same models differ by, which no measurement in one of them can see.
/// Source:   David and Nagaraja, Order Statistics, 3rd edition, section 7.1.
Speedup SummarizeRatios(std::span<const double> ratios);

/// Two models, measured side by side.
struct LatencyPair {
  Latency reference, other;
  Speedup speedup;  ///< of `other` against `reference`
  int threads = 0;  ///< of either session
};

/// Options of sessions for MeasureLatency: a session's threads end to spin when its run ends, so that they take no core
/// from the other session.
SessionOptions TimedSession(const RunContext& context);

/// Runs both sessions over the same feeds in pairs of short blocks, which take turns at going first, so that a change
/// of the machine's load or clock meets both; the first run of each block is a warm-up and does not count. An attempt
/// takes about `seconds`, and is repeated within three times as long until it was not disturbed. Float inputs of the
/// models may have other types than the feeds. Cost: at least 10 runs and as many
/// warm-ups per session; of models with runs of more than 50 ms at least 6 runs and 2 warm-ups. Errors: the
/// runtime's, kCancelled.
Result<LatencyPair> MeasureLatency(Session& reference, Session& other, const std::vector<NamedTensor>& feeds,
                                   int64_t samples_per_run, double seconds, const RunContext& context);

/// Looks again, for longer, where the median says that the other model is slower: it is, by an interval that excludes
/// 1, where two undisturbed measurements find it that do not differ too much. The answer then is the last, with an
/// interval that holds both, else what the last one found; `busy` where none could confirm it.
/// @param measure  takes `longer` times as long as planned
Result<LatencyPair> ConfirmSlower(const std::function<Result<LatencyPair>(double longer)>& measure);

}  // namespace preon
