#include "stats/sketch_parts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>

#include "kernels/float_env.h"
#include "kernels/run_stats.h"
#include "stats/pending_counts.h"
#include "stats/sample_stream.h"
#include "stats/sampling.h"

namespace preon {

namespace {

constexpr size_t kTaskElements = 4 * kRunLength;
static_assert(kRunLength <= kMaxRun && kTaskElements <= PendingCounts::kMaxValues);

// One task: some runs of kRunLength elements, in cache-sized steps. Results go into the sketch under a lock; since
// every part commutes, it does not matter which task comes first, nor how wide its bins were meanwhile.
class UpdateTask {
 public:
  /// `width_exponent`: the sketch's before the update.
  UpdateTask(SketchParts& parts, const SampleStream& stream, int width_exponent, std::mutex& mutex)
      : parts_(parts),
        stream_(stream),
        mutex_(mutex),
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
    if (const int width = TensorHistogram::WidthExponent(counts.max_magnitude()); width > width_exponent_) {
      const std::lock_guard lock(mutex_);
      FlushHistogram();
      SetWidth(width);
    }
    const size_t reach[2] = {Reach(stats.max), Reach(-stats.min)};
    if (keep_tail_) AddTail(x, count, stats.tail_blocks, reach);
    const size_t counted = rate_ == 1 ? count : GatherSampledBlocks(x, count, run_index, rate_, subset_);
    bulk_.Add(rate_ == 1 ? x : subset_, counted, inv_width_, kSmallest, reach);
  }

  void Finish() {
    const std::lock_guard lock(mutex_);
    parts_.counts.Merge(counts_);
    parts_.moments.Merge(moments_);
    FlushHistogram();
  }

 private:
  static constexpr float kSmallest = std::numeric_limits<float>::denorm_min();

  void SetWidth(int width_exponent) {
    width_exponent_ = width_exponent;
    inv_width_ = std::ldexp(1.0f, -width_exponent);
    tail_bound_ = TensorHistogram::TailBound(width_exponent);
  }

  size_t Reach(float extreme) const { return extreme > 0 ? static_cast<size_t>(extreme * inv_width_) + 1 : 0; }

  // Blocks without a tail element are not read again. Their flags may come from a narrower bound: then some are read in
  // vain.
  void AddTail(const float* x, size_t count, uint64_t blocks, const size_t (&reach)[2]) {
    for (size_t block = 0; blocks >> block != 0;) {
      block += static_cast<size_t>(std::countr_zero(blocks >> block));
      const auto length = static_cast<size_t>(std::countr_one(blocks >> block));
      const size_t begin = block * kTailBlock;
      tail_.Add(x + begin, std::min(length * kTailBlock, count - begin), inv_width_, tail_bound_, reach);
      block += length;
      if (block == 64) break;  // a shift by the word's width is undefined
    }
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
  std::mutex& mutex_;
  const bool keep_tail_;
  const size_t rate_;
  int width_exponent_;
  float inv_width_;
  float tail_bound_;
  ValueCounts counts_;
  Moments moments_;
  PendingCounts bulk_;
  PendingCounts tail_;
  alignas(64) float buffer_[kRunLength];
  alignas(64) float subset_[kRunLength / kMinSampleRate];
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
  const size_t runs_per_task = kTaskElements / std::min(size, kRunLength);
  const int width_exponent = parts.histogram.width_exponent();
  std::mutex mutex;
  RunTasks(parallel_for, (runs + runs_per_task - 1) / runs_per_task, [&](size_t task) {
    const DefaultFloatEnv float_env;
    UpdateTask update(parts, stream, width_exponent, mutex);
    for (size_t run = task * runs_per_task; run < std::min(runs, (task + 1) * runs_per_task); ++run) {
      update.AddRun(static_cast<int64_t>(run / runs_per_sample), run % runs_per_sample);
    }
    update.Finish();
  });
}

}  // namespace preon
