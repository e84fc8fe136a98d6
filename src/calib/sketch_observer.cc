#include "calib/sketch_observer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

namespace preon {
namespace {

/// The sample of a run whose values hold the first NaN. Samples are the outermost dimension, blocked or not.
std::string SampleWithNaN(const ObservedValue& value, const ChannelLayout& layout, const Batch& batch) {
  const int64_t blocks = (layout.channels + layout.block - 1) / layout.block;
  const int64_t size = layout.outer * blocks * layout.inner * layout.block;
  const float* end = value.data + layout.samples * size;
  const int64_t sample =
      size == 0 ? 0 : (std::find_if(value.data, end, [](float x) { return std::isnan(x); }) - value.data) / size;
  return layout.samples == batch.samples && sample < batch.samples ? batch.names[sample] : batch.names.front();
}

struct Run {
  const Batch* batch = nullptr;
  std::vector<SampleRow>* rows = nullptr;
  Status status;
};
// The runtime calls observers on the thread that called it.
thread_local Run current_run;

}  // namespace

void SketchObserver::BeginRun(const Batch& batch, std::vector<SampleRow>* rows) {
  current_run = {&batch, rows, Status::Ok()};
  for (int64_t i = 0; rows != nullptr && i < batch.samples; ++i) {
    const auto sample = static_cast<size_t>(i);
    rows->push_back({.index = batch.first_sample + i * batch.sample_step,
                     .name = batch.names[sample],
                     .label = batch.labels.empty() ? std::nullopt : batch.labels[sample],
                     .tensors = std::vector<SampleFacts>(tensors_.size())});
  }
}
Status SketchObserver::EndRun() { return std::exchange(current_run, {}).status; }

ChannelLayout LayoutOf(const ObservedValue& value, int64_t samples) {
  const Shape& shape = value.shape;
  ChannelLayout layout;
  layout.block = value.block;
  if (shape.empty()) return layout;
  layout.samples = shape[0] % samples == 0 ? samples : 1;
  layout.outer = shape[0] / layout.samples;
  if (shape.size() > 1) {
    layout.channels = shape[1];
    layout.inner = std::accumulate(shape.begin() + 2, shape.end(), int64_t{1}, std::multiplies<>());
  }
  return layout;
}

SketchObserver::SketchObserver(const StatisticsRequest& request, SketchMode mode, const DerivedTensors& derived)
    : mode_(mode), sketches_(request.tensors.size()) {
  std::map<std::string, size_t> index_of;
  for (const std::string& tensor : request.tensors) {
    if (derived.contains(tensor)) continue;
    index_of[tensor] = tensors_.size();
    for (const StatisticKind* kind : request.KindsOf(tensor))
      others_[tensors_.size()].push_back(std::make_unique<Other>(kind, kind->Make()));
    tensors_.push_back(tensor);
  }
  observed_count_ = std::ssize(tensors_);
  for (const auto& [tensor, from] : derived) {
    if (request.channel_means.contains(tensor))
      means_of_[index_of.at(from.source)].push_back({tensors_.size(), from.function});
    tensors_.push_back(tensor);
  }
  const std::set<std::string> by_name(tensors_.begin(), tensors_.end());
  for (const std::string& tensor : tensors_) {
    wanted_.push_back({request.channel_extremes.contains(tensor), request.channel_means.contains(tensor)});
    ranks_.push_back(static_cast<size_t>(std::distance(by_name.begin(), by_name.find(tensor))));
  }
}

TensorSketch* SketchObserver::SketchOf(size_t index, const ChannelLayout& layout) {
  if (!current_run.status.ok()) return nullptr;
  std::optional<TensorSketch>& sketch = sketches_[index];
  const SketchConfig config{.mode = mode_,
                            .channels = wanted_[index].channel_extremes ? layout.channels : 0,
                            .mean_channels = wanted_[index].channel_means ? layout.channels : 0};
  {
    const std::lock_guard lock(making_);
    if (!sketch) sketch.emplace(config);
  }
  if (sketch->config() == config) return &*sketch;
  const SketchConfig& before = sketch->config();
  current_run.status = Error(ErrorId::kSketchMismatch, tensors_[index], ": ", layout.channels, " channels in ",
                             current_run.batch->names.front(), ", ", std::max(before.channels, before.mean_channels),
                             " before; wanted the same number for per-channel statistics");
  return nullptr;
}

void SketchObserver::Observe(size_t index, const ObservedValue& value, const ParallelFor& parallel_for) {
  if (!current_run.status.ok()) return;
  const ObservedStep step{value, index, {}};
  ObserveTogether({&step, 1}, parallel_for);
}

void SketchObserver::ObserveTogether(std::span<const ObservedStep> steps, const ParallelFor& parallel_for) {
  const ChannelLayout layout = LayoutOf(steps.front().value, current_run.batch->samples);
  const auto has_others = [&](const ObservedStep& step) { return step.index && others_.contains(*step.index); };
  if (std::ranges::none_of(steps, has_others)) return ObserveSteps(steps, layout, parallel_for);
  // A later step may overwrite the values of an earlier one, which other statistics want to see whole.
  for (const ObservedStep& step : steps) {
    ObserveSteps({&step, 1}, layout, parallel_for);
    if (has_others(step)) UpdateOthers(step, layout, parallel_for);
  }
}

void SketchObserver::UpdateOthers(const ObservedStep& step, const ChannelLayout& layout,
                                  const ParallelFor& parallel_for) {
  for (const std::unique_ptr<Other>& other : others_.at(*step.index)) {
    if (!current_run.status.ok()) return;
    const std::lock_guard lock(other->updating);
    current_run.status = other->statistic->Update(step.value.data, layout, parallel_for)
                             .WithContext(tensors_[*step.index], ": ", other->kind->name());
  }
}

void SketchObserver::ObserveSteps(std::span<const ObservedStep> steps, const ChannelLayout& layout,
                                  const ParallelFor& parallel_for) {
  std::vector<SketchStep> sketch_steps;
  std::vector<std::vector<SampleFacts>> facts(current_run.rows != nullptr ? steps.size() : 0);
  for (const ObservedStep& step : steps) {
    sketch_steps.push_back({step.index ? SketchOf(*step.index, layout) : nullptr, step.value.data, step.compute});
    if (current_run.rows != nullptr) sketch_steps.back().facts = &facts[sketch_steps.size() - 1];
    if (sketch_steps.back().sketch == nullptr) continue;
    const auto means = means_of_.find(*step.index);
    if (means == means_of_.end()) continue;
    for (const MeansOf& of : means->second) {
      if (TensorSketch* sketch = SketchOf(of.index, layout))
        sketch_steps.back().derived.push_back({sketch, of.function});
    }
  }
  TensorSketch::UpdateTogether(sketch_steps, layout, parallel_for);
  for (size_t step = 0; step < facts.size(); ++step) {
    if (sketch_steps[step].sketch == nullptr) continue;
    std::vector<SampleRow>& rows = *current_run.rows;
    for (size_t sample = 0; sample < rows.size(); ++sample)
      rows[sample].tensors[ranks_[*steps[step].index]] = facts[step][facts[step].size() == rows.size() ? sample : 0];
  }
  // What a later step has overwritten with a sum is NaN where it was.
  for (size_t step = 0; step < steps.size(); ++step) {
    if (sketch_steps[step].nans == 0 || !current_run.status.ok()) continue;
    const ObservedValue& value = steps[step].value;
    current_run.status = Error(ErrorId::kRangeNotFinite, tensors_[*steps[step].index], ": ", sketch_steps[step].nans,
                               " of ", ElementCount(value.shape), " values are NaN in sample ",
                               SampleWithNaN(value, layout, *current_run.batch));
  }
}

Status SketchObserver::Start(const std::map<std::string, TensorSketch>& sketches,
                             const SerializedStatistics& statistics) {
  for (size_t index = 0; index < tensors_.size(); ++index) {
    const auto sketch = sketches.find(tensors_[index]);
    if (sketch == sketches.end())
      return Error(ErrorId::kCalibFileMismatch, "tensor '", tensors_[index], "' is missing");
    if (sketch->second.count() > 0) sketches_[index] = sketch->second;
  }
  for (const auto& [index, others] : others_) {
    for (const std::unique_ptr<Other>& other : others) {
      const std::string* known = Find(statistics, other->kind->name(), tensors_[index]);
      if (known == nullptr) {
        return Error(ErrorId::kCalibFileMismatch, "tensor '", tensors_[index], "' has no statistic '",
                     other->kind->name(), "'");
      }
      PREON_RETURN_IF_ERROR(other->statistic->Merge(*known).WithContext(tensors_[index]));
    }
  }
  return Status::Ok();
}

SerializedStatistics SketchObserver::Statistics() const {
  SerializedStatistics statistics;
  for (const auto& [index, others] : others_) {
    for (const std::unique_ptr<Other>& other : others)
      statistics[std::string(other->kind->name())][tensors_[index]] = other->statistic->Serialize();
  }
  return statistics;
}

std::vector<TensorSketch> SketchObserver::Sketches() const {
  std::vector<TensorSketch> sketches;
  for (const std::optional<TensorSketch>& sketch : sketches_) {
    sketches.push_back(sketch ? *sketch : TensorSketch({.mode = mode_}));
  }
  return sketches;
}

std::vector<TensorSketch> SketchObserver::TakeSketches() {
  std::vector<TensorSketch> sketches;
  for (std::optional<TensorSketch>& sketch : sketches_) {
    sketches.push_back(sketch ? std::move(*sketch) : TensorSketch({.mode = mode_}));
  }
  return sketches;
}

}  // namespace preon
