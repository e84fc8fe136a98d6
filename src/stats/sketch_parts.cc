#include "stats/sketch_parts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mutex>
#include <vector>

#include "base/check.h"
#include "kernels/float_env.h"
#include "kernels/run_stats.h"
#include "stats/pending_counts.h"
#include "stats/pending_offsets.h"
#include "stats/pending_values.h"
#include "stats/sample_stream.h"
#include "stats/sampling.h"

namespace preon {

namespace {

// What is worth handing to another thread.
constexpr size_t kTaskElements = 2 * kRunLength;
static_assert(kRunLength <= kMaxRun && kRunLength <= PendingCounts::kMaxValues);
static_assert(PendingOffsets::kMaxValues == PendingCounts::kMaxValues);

// Of finite values.
struct Extremes {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
  void Widen(float other_min, float other_max) {
    min = std::min(min, other_min);
    max = std::max(max, other_max);
  }
};

// What the tasks of a step start from: the sketch's before the update.
struct StepStart {
  const PartsStep& step;
  SampleStream stream;
  int width_exponent = 0;
  float outer_bound = 0;
  bool keep_tail = false;
  std::vector<Extremes> samples = {};               // each sample's
  std::vector<std::vector<float>> magnitudes = {};  // each sample's subset; empty unless facts are wanted
};

// One task: some runs of kRunLength elements, in cache-sized steps. Results go into the sketch under a lock; since
// every part commutes, it does not matter which task comes first, nor how wide its bins were meanwhile.
class UpdateTask {
 public:
  explicit UpdateTask(StepStart& start)
      : parts_(*start.step.parts),
        stream_(start.stream),
        keep_tail_(start.keep_tail),
        exact_(parts_.config.mode == SketchMode::kExact),
        rate_(exact_ ? 1 : SampleRate(static_cast<size_t>(stream_.size()))),
        samples_(start.samples.data()),
        magnitudes_(start.magnitudes.empty() ? nullptr : start.magnitudes.data()),
        nans_(start.step.nans),
        channel_extremes_(parts_.config.channels),
        channel_sums_(parts_.channel_sums.channels()),
        derived_(start.step.derived),
        channel_rate_(ChannelSampleRate(rate_, static_cast<size_t>(stream_.ChannelExtent()))),
        outer_(start.outer_bound) {
    SetWidth(start.width_exponent);
    for (const PartsOfMeans& means : derived_) derived_sums_.emplace_back(means.parts->channel_sums.channels());
  }

  void AddRun(int64_t sample, size_t run_index) {
    if (sample != sample_) {
      const std::lock_guard hold(parts_.lock);
      FlushSample();
      sample_ = sample;
    }
    const int64_t begin = static_cast<int64_t>(run_index * kRunLength);
    const auto count = static_cast<size_t>(std::min<int64_t>(kRunLength, stream_.size() - begin));
    const float* x = stream_.Read(sample, begin, count, buffer_);
    const bool by_lanes = channel_extremes_.FollowLanes(stream_, begin, static_cast<int64_t>(count));
    LaneExtremes lanes;
    const RunStats stats = ComputeRunStats(x, count, tail_bound_, by_lanes ? &lanes : nullptr);
    ValueCounts counts;
    counts.Add(stats, count);
    counts_.Merge(counts);
    extremes_.Widen(counts.min, counts.max);
    moments_.Add(stats.sum, stats.sum_squares);
    if (by_lanes) {
      channel_extremes_.AddLanes(stream_, begin, lanes);
    } else if (!channel_extremes_.empty()) {
      channel_extremes_.Add(stream_, begin, x, static_cast<int64_t>(count));
    }
    if (magnitudes_ != nullptr) AddMagnitudes(x, count, run_index);
    if (counts.finite() != count) {
      ReplaceNonFinite(x, count, buffer_);  // zeros are in no bin
      x = buffer_;
    }
    if (!channel_sums_.empty()) AddToChannels(x, count, begin, run_index);
    for (size_t i = 0; i < derived_.size(); ++i) {
      AddToDerived(x, count, begin, run_index, *derived_[i].function, derived_sums_[i]);
    }
    if (counts.finite() == stats.zeros) return;
    const int width = std::max(width_exponent_, TensorHistogram::WidthExponent(counts.max_magnitude()));
    pending_values_ += count;
    if (width > width_exponent_ || pending_values_ > PendingCounts::kMaxValues) {
      const std::lock_guard hold(parts_.lock);
      FlushHistogram();
      SetWidth(width);
      pending_values_ = count;
    }
    const size_t reach[2] = {Reach(stats.max), Reach(-stats.min)};
    if (exact_) {
      if (counts.max_magnitude() >= outer_.bound()) AddOuter(x, count);
      return fine_.Add(x, count, inv_width_, reach);
    }
    if (keep_tail_) pending_.AddTail(x, count, stats.tail, inv_width_, reach);
    const size_t counted = rate_ == 1 ? count : GatherSampledBlocks(x, count, run_index, rate_, subset_);
    pending_.Add(rate_ == 1 ? x : subset_, counted, inv_width_, reach);
  }

  void Finish() {
    const OuterValues outer = outer_.Take();
    const std::lock_guard hold(parts_.lock);
    FlushSample();
    nans_ += counts_.nans;
    parts_.outer.Merge(outer);
    parts_.counts.Merge(counts_);
    parts_.moments.Merge(moments_);
    parts_.channels.Merge(channel_extremes_);
    FlushHistogram();
  }

 private:
  void SetWidth(int width_exponent) {
    width_exponent_ = width_exponent;
    inv_width_ = std::ldexp(1.0f, -width_exponent);
    tail_bound_ = TensorHistogram::TailBound(width_exponent);
  }

  size_t Reach(float extreme) const { return extreme > 0 ? static_cast<size_t>(extreme * inv_width_) + 1 : 0; }

  void AddToChannels(const float* x, size_t count, int64_t begin, size_t run_index) {
    if (rate_ == 1) return channel_sums_.Add(stream_, begin, x, static_cast<int64_t>(count));
    ForEachSampledBlock(count, run_index, channel_rate_, [&](size_t first, size_t length) {
      channel_sums_.Add(stream_, begin + static_cast<int64_t>(first), x + first, static_cast<int64_t>(length));
    });
  }

  // f of the elements of which AddToChannels takes x.
  void AddToDerived(const float* x, size_t count, int64_t begin, size_t run_index, const ScalarFunction& function,
                    PendingChannelSums& sums) {
    const auto add = [&](size_t first, size_t length) {
      function.Apply(x + first, length, subset_);
      sums.Add(stream_, begin + static_cast<int64_t>(first), subset_, static_cast<int64_t>(length));
    };
    if (rate_ > 1) return ForEachSampledBlock(count, run_index, channel_rate_, add);
    constexpr size_t kStep = sizeof(subset_) / sizeof(*subset_);
    for (size_t first = 0; first < count; first += kStep) add(first, std::min(kStep, count - first));
  }

  // The same values in both modes.
  void AddMagnitudes(const float* x, size_t count, size_t run_index) {
    const size_t rate = SampleRate(static_cast<size_t>(stream_.size()));
    const size_t taken = rate == 1 ? count : GatherSampledBlocks(x, count, run_index, rate, subset_);
    for (const float value : std::span(rate == 1 ? x : subset_, taken)) {
      if (std::isfinite(value)) sample_magnitudes_.push_back(std::fabs(value));
    }
  }

  // Under the lock.
  void FlushSample() {
    if (sample_ < 0) return;
    samples_[sample_].Widen(extremes_.min, extremes_.max);
    extremes_ = {};
    if (magnitudes_ != nullptr) {
      std::vector<float>& all = magnitudes_[sample_];
      all.insert(all.end(), sample_magnitudes_.begin(), sample_magnitudes_.end());
      sample_magnitudes_.clear();
    }
    parts_.channel_sums.Take(channel_sums_);
    for (size_t i = 0; i < derived_.size(); ++i) {
      const std::lock_guard hold(derived_[i].parts->lock);
      derived_[i].parts->channel_sums.Take(derived_sums_[i]);
    }
  }

  void AddOuter(const float* x, size_t count) {
    for (size_t begin = 0; begin < count; begin += PendingValues::kStep) {
      outer_.Add(x + begin, std::min(PendingValues::kStep, count - begin));
      if (!outer_.full()) continue;
      const OuterValues outer = outer_.Take();
      const std::lock_guard hold(parts_.lock);
      parts_.outer.Merge(outer);
      outer_.SetBound(parts_.outer.bound());
    }
  }

  // Under the lock.
  void FlushHistogram() {
    TensorHistogram& histogram = parts_.histogram;
    if (exact_) parts_.offsets.WidenTo(width_exponent_, histogram);
    histogram.WidenTo(width_exponent_);
    if (exact_) return fine_.FlushInto(histogram, parts_.offsets, histogram.ShiftFrom(width_exponent_));
    if (keep_tail_ == histogram.sampled()) {
      return pending_.FlushInto(histogram, static_cast<uint32_t>(rate_), histogram.ShiftFrom(width_exponent_));
    }
    // Another update has met the first large sample meanwhile: these values' tail is among what was counted.
    TensorHistogram whole;
    whole.WidenTo(width_exponent_);
    pending_.FlushInto(whole, 1, 0);
    whole.Settle();
    histogram.Settle();
    histogram.Merge(whole);
  }

  SketchParts& parts_;
  const SampleStream& stream_;
  const bool keep_tail_;
  const bool exact_;
  const size_t rate_;
  int width_exponent_;
  float inv_width_;
  float tail_bound_;
  Extremes* const samples_;
  std::vector<float>* const magnitudes_;
  std::vector<float> sample_magnitudes_;  // of what this task has seen of the sample
  uint64_t& nans_;
  int64_t sample_ = -1;
  Extremes extremes_;  // of what this task has seen of the sample
  ChannelExtremes channel_extremes_;
  PendingChannelSums channel_sums_;
  const std::span<const PartsOfMeans> derived_;
  std::vector<PendingChannelSums> derived_sums_;
  const size_t channel_rate_;
  ValueCounts counts_;
  Moments moments_;
  size_t pending_values_ = 0;  // at least as many as were added to either part of pending_
  PendingCounts pending_;
  PendingOffsets fine_;  // exact mode: instead
  PendingValues outer_;
  alignas(64) float buffer_[kRunLength];
  alignas(64) float subset_[kRunLength / kMinSampleRate];
};

static_assert(sizeof(UpdateTask) <= 120 * 1024, "TensorSketch::Update promises how much stack it needs");

// Room on the stack for an UpdateTask, made when needed. (std::optional's constructor clears the room, which takes
// longer than the update of a small tensor.)
class UpdateSlot {
 public:
  UpdateSlot() {}
  ~UpdateSlot() {
    if (task_ != nullptr) task_->~UpdateTask();
  }
  UpdateSlot(const UpdateSlot&) = delete;
  UpdateSlot& operator=(const UpdateSlot&) = delete;

  void Make(StepStart& start) { task_ = new (room_) UpdateTask(start); }
  UpdateTask* get() const { return task_; }  // null where none was made

 private:
  UpdateTask* task_ = nullptr;
  alignas(UpdateTask) std::byte room_[sizeof(UpdateTask)];
};

StepStart StartStep(const PartsStep& step, const ChannelLayout& layout) {
  const SampleStream stream(step.data, layout);
  if (step.parts == nullptr) return {step, stream};
  SketchParts& parts = *step.parts;
  const std::lock_guard hold(parts.lock);
  parts.counts.samples += static_cast<uint64_t>(stream.samples());
  if (parts.config.mode == SketchMode::kSampled && SampleRate(static_cast<size_t>(stream.size())) > 1)
    parts.histogram.StartSampling();
  const auto samples = static_cast<size_t>(stream.samples());
  if (step.facts != nullptr) step.facts->assign(samples, SampleFacts());
  return {step,
          stream,
          parts.histogram.width_exponent(),
          parts.outer.bound(),
          parts.histogram.sampled(),
          std::vector<Extremes>(samples),
          std::vector<std::vector<float>>(step.facts != nullptr ? samples : 0)};
}

void FillFacts(StepStart& start) {
  for (size_t sample = 0; sample < start.magnitudes.size(); ++sample) {
    const Extremes& extremes = start.samples[sample];
    (*start.step.facts)[sample] = {extremes.min, extremes.max, UsualLargest(start.magnitudes[sample])};
  }
}

size_t RunsPerSample(const SampleStream& stream) {
  return (static_cast<size_t>(stream.size()) + kRunLength - 1) / kRunLength;
}

// One thread's share: runs [begin, end), each by every step before the next run.
void UpdateRuns(std::vector<StepStart>& starts, size_t begin, size_t end) {
  UpdateSlot updates[kMaxSketchSteps];
  for (size_t step = 0; step < starts.size(); ++step) {
    if (starts[step].step.parts != nullptr) updates[step].Make(starts[step]);
  }
  const SampleStream& stream = starts.front().stream;
  const auto size = static_cast<size_t>(stream.size());
  for (size_t run = begin; run < end; ++run) {
    const auto sample = static_cast<int64_t>(run / RunsPerSample(stream));
    const size_t index = run % RunsPerSample(stream);
    for (size_t step = 0; step < starts.size(); ++step) {
      if (const ComputeRange& compute = starts[step].step.compute) {
        compute(stream.Offset(sample, static_cast<int64_t>(index * kRunLength)),
                stream.Offset(sample, static_cast<int64_t>(std::min(size, (index + 1) * kRunLength))));
      }
      if (UpdateTask* update = updates[step].get()) update->AddRun(sample, index);
    }
  }
  for (const UpdateSlot& update : updates) {
    if (UpdateTask* task = update.get()) task->Finish();
  }
}

}  // namespace

void UpdateParts(std::span<const PartsStep> steps, const ChannelLayout& layout, const ParallelFor& parallel_for) {
  PREON_CHECK(!steps.empty() && steps.size() <= kMaxSketchSteps);
  std::vector<StepStart> starts;
  for (const PartsStep& step : steps) starts.push_back(StartStep(step, layout));
  const SampleStream& stream = starts.front().stream;
  const size_t runs = RunsPerSample(stream) * static_cast<size_t>(stream.samples());
  if (runs == 0) return;

  // One stretch per thread: mostly the one that it has just written.
  const size_t tasks = std::clamp<size_t>(static_cast<size_t>(stream.size() * stream.samples()) / kTaskElements, 1,
                                          std::min(parallel_for.threads, runs));
  parallel_for(tasks, [&](size_t task) {
    const DefaultFloatEnv float_env;
    UpdateRuns(starts, runs * task / tasks, runs * (task + 1) / tasks);
  });
  const DefaultFloatEnv float_env;
  for (StepStart& start : starts) {
    if (start.step.parts == nullptr) continue;
    FillFacts(start);
    const std::lock_guard hold(start.step.parts->lock);
    for (const Extremes& sample : start.samples) start.step.parts->sample_extremes.Add(sample.min, sample.max);
  }
}

}  // namespace preon
