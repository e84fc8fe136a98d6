#include "eval/latency.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/system.h"
#include "eval/feeds.h"
#include "eval/median.h"

namespace preon {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr int kPairs = 10, kFewestPairs = 6;  // 6: the span of all is an interval of 95 %
// Of one attempt; a model whose runs are long has fewer pairs, and needs no warm-up in front of each run.
constexpr double kMaxSecondsOfAttempt = 4;
constexpr double kLongRunMs = 50;
constexpr double kMaxAttempts = 3;  // by time
constexpr int kMaxLooks = 3;        // at a model that seems slower
constexpr double kLongerLook = 4;   // all but the first: a narrower interval
constexpr double kMaxSecondsOfBusyLooks = 2;
constexpr double kProcessSpread = 0.02;
// An undisturbed thread waits for a core during at most 2 % of the time, beside one other busy program 20 % and more.
constexpr double kMaxWaitingShare = 0.05;
constexpr double kMaxSpread = 1.25;  // of an interval: high over low

// One of two models, and its run times.
struct Timed {
  Session& session;
  std::vector<NamedTensor> feeds;
  int runs_per_block = 1;
  double run_ms = 0;  // about
  LatencyRecorder recorder;

  bool is_long() const { return run_ms > kLongRunMs; }

  Result<double> Run(const RunContext& context) {
    const Clock::time_point start = Clock::now();
    PREON_RETURN_IF_ERROR(session.Run(feeds, context).status());
    return SecondsSince(start) * 1e3;
  }
};

// A run's time in milliseconds: the median of the runs behind a warm-up, and the processor time of this thread.
struct BlockTime {
  double median = 0, processor = 0;
};

Result<BlockTime> RunBlock(Timed& timed, int64_t samples, const RunContext& context) {
  if (!timed.is_long()) PREON_RETURN_IF_ERROR(timed.Run(context).status());
  std::vector<double> times;
  const double begin = ThreadSeconds();
  for (int run = 0; run < timed.runs_per_block; ++run) {
    PREON_ASSIGN_OR_RETURN(const double milliseconds, timed.Run(context));
    times.push_back(milliseconds);
    timed.recorder.Add(milliseconds, samples);
  }
  const double processor = (ThreadSeconds() - begin) * 1e3 / static_cast<double>(times.size());
  return BlockTime{Median(std::move(times)), processor};
}

// As many runs as fit into a block's share of the time.
Status PlanBlocks(Timed& timed, double seconds, const RunContext& context) {
  PREON_RETURN_IF_ERROR(timed.Run(context).status());
  PREON_ASSIGN_OR_RETURN(const double milliseconds, timed.Run(context));
  timed.run_ms = milliseconds;
  const double fit = seconds * 1e3 / (2 * kPairs) / std::max(milliseconds, 1e-3) - 1;
  timed.runs_per_block = static_cast<int>(std::clamp(fit, 1.0, 1000.0));
  return Status::Ok();
}

double SecondsOfPair(const Timed& timed) {
  return (timed.runs_per_block + (timed.is_long() ? 0 : 1)) * timed.run_ms / 1e3;
}

int PairsWithin(const Timed& reference, const Timed& other, double seconds) {
  const double fit = seconds / (SecondsOfPair(reference) + SecondsOfPair(other));
  return static_cast<int>(std::clamp<double>(fit, kFewestPairs, kPairs));
}

Result<LatencyPair> Attempt(Timed& reference, Timed& other, int64_t samples, const RunContext& context) {
  reference.recorder = other.recorder = {};
  const Clock::time_point start = Clock::now();
  const double waited_before = SecondsWaitedForCores();
  std::vector<double> ratios, processor_ratios;
  const int pairs = PairsWithin(reference, other, kMaxSecondsOfAttempt);
  for (int pair = 0; pair < pairs; ++pair) {
    Timed* const order[] = {pair % 2 == 0 ? &reference : &other, pair % 2 == 0 ? &other : &reference};
    BlockTime times[2];
    for (int turn = 0; turn < 2; ++turn) {
      PREON_ASSIGN_OR_RETURN(times[order[turn] == &other], RunBlock(*order[turn], samples, context));
    }
    ratios.push_back(times[0].median / times[1].median);
    processor_ratios.push_back(times[0].processor / times[1].processor);
    context.Report({.stage = "latency", .done = pair + 1, .total = pairs});
  }
  LatencyPair pair{reference.recorder.Summarize(), other.recorder.Summarize(), SummarizeRatios(ratios),
                   context.ThreadCount()};
  const double waited = SecondsWaitedForCores() - waited_before;
  const bool disturbed = waited > kMaxWaitingShare * SecondsSince(start) * context.ThreadCount();
  // One thread's processor time does not count the waiting.
  if (disturbed && context.ThreadCount() == 1) {
    pair.speedup = SummarizeRatios(processor_ratios);
    pair.speedup.of_processor_time = true;
  } else {
    pair.speedup.busy |= disturbed;
  }
  return pair;
}

}  // namespace

void LatencyRecorder::Add(double milliseconds, int64_t samples) {
  milliseconds_.push_back(milliseconds);
  samples_ += samples;
}

Latency LatencyRecorder::Summarize() const {
  if (milliseconds_.empty()) return {};
  std::vector<double> sorted = milliseconds_;
  std::sort(sorted.begin(), sorted.end());
  const auto percentile = [&](double share) {
    const size_t rank = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    return sorted[std::max<size_t>(rank, 1) - 1];
  };
  const double total = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  return {percentile(0.5), percentile(0.9), percentile(0.99),
          total > 0 ? 1e3 * static_cast<double>(samples_) / total : 0};
}

Speedup SummarizeRatios(std::span<const double> ratios) {
  std::vector<double> sorted(ratios.begin(), ratios.end());
  std::ranges::sort(sorted);
  const size_t count = sorted.size();
  // Index k from both ends misses the median if at most k of `count` fair coins show heads, or at most k tails.
  size_t index = 0;
  double probability = std::pow(0.5, count);  // of exactly `index` heads
  for (double missed = 2 * probability; 2 * (index + 1) < count; ++index) {
    probability *= static_cast<double>(count - index) / static_cast<double>(index + 1);
    missed += 2 * probability;
    if (missed > 0.05) break;
  }
  Speedup speedup{.median = Median(sorted),
                  .low = sorted[index] * (1 - kProcessSpread),
                  .high = sorted[count - 1 - index] * (1 + kProcessSpread)};
  speedup.busy = speedup.high > kMaxSpread * speedup.low;
  return speedup;
}

SessionOptions TimedSession(const RunContext& context) {
  return {.threads = context.ThreadCount(), .spin_between_runs = false};
}

Result<LatencyPair> MeasureLatency(Session& reference, Session& other, const std::vector<NamedTensor>& feeds,
                                   int64_t samples_per_run, double seconds, const RunContext& context) {
  PREON_ASSIGN_OR_RETURN(std::vector<NamedTensor> reference_feeds, FeedsFor(reference, feeds));
  PREON_ASSIGN_OR_RETURN(std::vector<NamedTensor> other_feeds, FeedsFor(other, feeds));
  Timed timed[] = {{reference, std::move(reference_feeds)}, {other, std::move(other_feeds)}};
  for (Timed& each : timed) PREON_RETURN_IF_ERROR(PlanBlocks(each, seconds, context));
  const Clock::time_point start = Clock::now();
  while (true) {
    PREON_ASSIGN_OR_RETURN(const LatencyPair pair, Attempt(timed[0], timed[1], samples_per_run, context));
    if (!pair.speedup.busy || SecondsSince(start) > (kMaxAttempts - 1) * seconds) return pair;
  }
}

Result<LatencyPair> ConfirmSlower(const std::function<Result<LatencyPair>(double longer)>& measure) {
  const Clock::time_point start = Clock::now();
  std::optional<Speedup> slower;
  LatencyPair pair;
  Speedup& speedup = pair.speedup;
  for (int look = 0; look < kMaxLooks && (slower || SecondsSince(start) < kMaxSecondsOfBusyLooks); ++look) {
    PREON_ASSIGN_OR_RETURN(pair, measure(look == 0 ? 1 : kLongerLook));
    if (speedup.median >= 1) return pair;
    if (speedup.busy) continue;
    const bool is_unclear = speedup.high >= 1;
    if (is_unclear && look > 0) return pair;
    if (is_unclear) continue;
    if (slower) {
      const double low = std::min(speedup.low, slower->low), high = std::max(speedup.high, slower->high);
      if (high <= kMaxSpread * low) {
        speedup.low = low;
        speedup.high = high;
        return pair;
      }
    }
    slower = speedup;
  }
  speedup.busy |= speedup.high < 1;
  return pair;
}

}  // namespace preon
