#include "stats/sketch_parts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <utility>

#include "kernels/float_env.h"
#include "kernels/histogram.h"
#include "kernels/run_stats.h"
#include "stats/brief_lock.h"
#include "stats/pending_counts.h"
#include "stats/sample_stream.h"
#include "stats/sampling.h"

namespace preon {

namespace {

// What is worth handing to another thread.
constexpr size_t kTaskElements = 2 * kRunLength;
static_assert(kRunLength <= kMaxRun && kRunLength <= PendingCounts::kMaxValues);

// One task: some runs of kRunLength elements, in cache-sized steps. Results go into the sketch under a lock; since
// every part commutes, it does not matter which task comes first, nor how wide its bins were meanwhile.
class UpdateTask {
 public:
  /// `width_exponent`: the sketch's before the update.
  UpdateTask(SketchParts& parts, const SampleStream& stream, int width_exponent, BriefLock& lock)
      : parts_(parts),
        stream_(stream),
        lock_(lock),
        keep_tail_(parts.histogram.sampled()),
        rate_(parts.config.mode == SketchMode::kExact ? 1 : SampleRate(static_cast<size_t>(stream.size()))) {
    SetWidth(width_exponent);
  }

  void AddRun(int64_t sample, size_t run_index) {
    const int64_t begin = static_cast<int64_t>(run_index * kRunLength);
    const auto count = static_cast<size_t>(std::min<int64_t>(kRunLength, stream_.size() - begin));
    const float* x = stream_.Read(sample, begin, count, buffer_);
    const RunStats stats = ComputeRunStats(x, count, tail_bound_);
    ValueCounts counts;
    counts.Add(stats, count);
    counts_.Merge(counts);
    moments_.Add(stats.sum, stats.sum_squares);
    if (counts.finite() == stats.zeros) return;
    if (counts.finite() != count) {
      ReplaceNonFinite(x, count, buffer_);  // zeros are in no bin
      x = buffer_;
    }
    const int width = std::max(width_exponent_, TensorHistogram::WidthExponent(counts.max_magnitude()));
    pending_ += count;
    if (width > width_exponent_ || pending_ > PendingCounts::kMaxValues) {
      const std::lock_guard hold(lock_);
      FlushHistogram();
      SetWidth(width);
      pending_ = count;
    }
    const size_t reach[2] = {Reach(stats.max), Reach(-stats.min)};
    if (keep_tail_) AddTail(x, count, stats.tail_blocks, reach);
    const size_t counted = rate_ == 1 ? count : GatherSampledBlocks(x, count, run_index, rate_, subset_);
    bulk_.Add(rate_ == 1 ? x : subset_, counted, inv_width_, reach);
  }

  /// Before the last run: late enough for the counts to stay in the caches until Finish.
  void PrefetchCounts() {
    const std::lock_guard hold(lock_);
    parts_.histogram.Prefetch();
  }

  void Finish() {
    const std::lock_guard hold(lock_);
    parts_.counts.Merge(counts_);
    parts_.moments.Merge(moments_);
    FlushHistogram();
  }

 private:
  void SetWidth(int width_exponent) {
    width_exponent_ = width_exponent;
    inv_width_ = std::ldexp(1.0f, -width_exponent);
    tail_bound_ = TensorHistogram::TailBound(width_exponent);
  }

  size_t Reach(float extreme) const { return extreme > 0 ? static_cast<size_t>(extreme * inv_width_) + 1 : 0; }

  // Blocks without a tail element are not read again. Their flags may come from a narrower bound: then some are read in
  // vain.
  void AddTail(const float* x, size_t count, uint64_t blocks, const size_t (&reach)[2]) {
    size_t selected = 0;
    for (; blocks != 0; blocks &= blocks - 1) {
      const size_t begin = static_cast<size_t>(std::countr_zero(blocks)) * kTailBlock;
      selected += SelectLarge(x + begin, std::min(kTailBlock, count - begin), tail_bound_, subset_ + selected);
      if (selected <= kSubset - kTailBlock) continue;
      tail_.Add(subset_, std::exchange(selected, 0), inv_width_, reach);
    }
    tail_.Add(subset_, selected, inv_width_, reach);
  }

  // Under the lock.
  void FlushHistogram() {
    TensorHistogram& histogram = parts_.histogram;
    histogram.WidenTo(width_exponent_);
    const int shift = histogram.ShiftFrom(width_exponent_);
    bulk_.FlushInto(histogram.bulk(false), histogram.bulk(true), static_cast<uint32_t>(rate_), shift);
    if (keep_tail_) tail_.FlushInto(histogram.tail(false), histogram.tail(true), 1, shift);
  }

  SketchParts& parts_;
  const SampleStream& stream_;
  BriefLock& lock_;
  const bool keep_tail_;
  const size_t rate_;
  int width_exponent_;
  float inv_width_;
  float tail_bound_;
  ValueCounts counts_;
  Moments moments_;
  size_t pending_ = 0;  // at least the values in either of the two
  PendingCounts bulk_;
  PendingCounts tail_;
  alignas(64) float buffer_[kRunLength];
  static constexpr size_t kSubset = kRunLength / kMinSampleRate;
  alignas(64) float subset_[kSubset + kIndexSlack];  // of a run: the sampled blocks, or what lies in the tail
};

}  // namespace

void UpdateParts(SketchParts& parts, const float* data, const ChannelLayout& layout, const ParallelFor& parallel_for) {
  const SampleStream stream(data, layout);
  parts.counts.samples += static_cast<uint64_t>(stream.samples());
  if (stream.size() == 0 || stream.samples() == 0) return;
  if (parts.config.channels > 0) parts.channels.Update(data, layout, parallel_for);
  if (parts.config.mode == SketchMode::kSampled && SampleRate(static_cast<size_t>(stream.size())) > 1)
    parts.histogram.StartSampling();

  const auto size = static_cast<size_t>(stream.size());
  const size_t runs_per_sample = (size + kRunLength - 1) / kRunLength;
  const size_t runs = runs_per_sample * static_cast<size_t>(stream.samples());
  // One stretch per thread: mostly the one that it has just written.
  const size_t tasks = std::clamp<size_t>(size * static_cast<size_t>(stream.samples()) / kTaskElements, 1,
                                          std::min(parallel_for.threads, runs));
  const int width_exponent = parts.histogram.width_exponent();
  BriefLock lock;
  parallel_for(tasks, [&](size_t task) {
    const DefaultFloatEnv float_env;
    UpdateTask update(parts, stream, width_exponent, lock);
    const size_t end = runs * (task + 1) / tasks;
    for (size_t run = runs * task / tasks; run < end; ++run) {
      if (run + 1 == end) update.PrefetchCounts();
      update.AddRun(static_cast<int64_t>(run / runs_per_sample), run % runs_per_sample);
    }
    update.Finish();
  });
}

}  // namespace preon
