#include "calib/sketch_observer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

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

}  // namespace

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

SketchObserver::SketchObserver(std::vector<std::string> tensors, SketchMode mode, std::set<std::string> per_channel)
    : tensors_(std::move(tensors)), mode_(mode), per_channel_(std::move(per_channel)), sketches_(tensors_.size()) {}

void SketchObserver::Observe(size_t index, const ObservedValue& value, const ParallelFor& parallel_for) {
  if (!status_.ok()) return;
  const std::string& tensor = tensors_[index];
  const ChannelLayout layout = LayoutOf(value, batch_->samples);
  std::optional<TensorSketch>& sketch = sketches_[index];
  const int64_t channels = per_channel_.contains(tensor) ? layout.channels : 0;
  if (!sketch) sketch.emplace(SketchConfig{mode_, channels});
  if (sketch->config().channels != channels) {
    status_ = Error(ErrorId::kSketchMismatch, tensor, ": ", channels, " channels in ", batch_->names.front(), ", ",
                    sketch->config().channels, " before; wanted the same number for per-channel statistics");
    return;
  }
  sketch->Update(value.data, layout, parallel_for);
  if (sketch->nan_count() > 0) {
    status_ = Error(ErrorId::kRangeNotFinite, tensor, ": ", sketch->nan_count(), " of ", ElementCount(value.shape),
                    " values are NaN in sample ", SampleWithNaN(value, layout, *batch_));
  }
}

std::vector<TensorSketch> SketchObserver::TakeSketches() {
  std::vector<TensorSketch> sketches;
  for (std::optional<TensorSketch>& sketch : sketches_) {
    sketches.push_back(sketch ? std::move(*sketch) : TensorSketch({.mode = mode_}));
  }
  return sketches;
}

}  // namespace preon
