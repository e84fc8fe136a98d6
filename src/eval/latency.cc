#include "eval/latency.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "eval/feeds.h"

namespace preon {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr int kRunsPerBlock = 5;  // the first one warms up
constexpr int kMinBlocks = 3;

Status RunBlock(Session& session, const std::vector<NamedTensor>& feeds, int64_t samples, LatencyRecorder& recorder,
                const RunContext& context) {
  for (int run = 0; run < kRunsPerBlock; ++run) {
    const Clock::time_point start = Clock::now();
    const Result<std::vector<NamedTensor>> outputs = session.Run(feeds, context);
    if (!outputs.ok()) return outputs.status();
    if (run > 0) recorder.Add(SecondsSince(start) * 1e3, samples);
  }
  return Status::Ok();
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

Result<std::pair<Latency, Latency>> MeasureLatency(Session& first, Session& second,
                                                   const std::vector<NamedTensor>& feeds, int64_t samples_per_run,
                                                   double seconds, const RunContext& context) {
  PREON_ASSIGN_OR_RETURN(const std::vector<NamedTensor> first_feeds, FeedsFor(first, feeds));
  PREON_ASSIGN_OR_RETURN(const std::vector<NamedTensor> second_feeds, FeedsFor(second, feeds));
  LatencyRecorder recorders[2];
  const Clock::time_point start = Clock::now();
  for (int block = 0; block < kMinBlocks || SecondsSince(start) < seconds; ++block) {
    PREON_RETURN_IF_ERROR(RunBlock(first, first_feeds, samples_per_run, recorders[0], context));
    PREON_RETURN_IF_ERROR(RunBlock(second, second_feeds, samples_per_run, recorders[1], context));
  }
  return std::pair(recorders[0].Summarize(), recorders[1].Summarize());
}

}  // namespace preon
