#include "stats/channel_extremes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "kernels/extremes.h"

namespace preon {

namespace {
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int64_t kTaskElements = 1 << 16;
}  // namespace

ChannelExtremes::ChannelExtremes(int64_t channels)
    : min_(static_cast<size_t>(channels), kInfinity), max_(static_cast<size_t>(channels), -kInfinity) {}

void ChannelExtremes::AddRows(const float* data, const ChannelLayout& layout, int64_t begin, int64_t end) {
  const int64_t blocks = (layout.channels + layout.block - 1) / layout.block;
  const int64_t row_size = blocks * layout.inner * layout.block;
  if (layout.block == 1 && layout.inner == 1) {
    return ColumnExtremes(data + begin * row_size, end - begin, layout.channels, min_.data(), max_.data());
  }
  std::vector<float> block_min(layout.block), block_max(layout.block);
  for (int64_t row = begin; row < end; ++row) {
    for (int64_t block = 0; block < blocks; ++block) {
      const float* x = data + row * row_size + block * layout.inner * layout.block;
      if (layout.block == 1) {
        RunExtremes(x, layout.inner, &min_[block], &max_[block]);
        continue;
      }
      std::fill(block_min.begin(), block_min.end(), kInfinity);
      std::fill(block_max.begin(), block_max.end(), -kInfinity);
      ColumnExtremes(x, layout.inner, layout.block, block_min.data(), block_max.data());
      const int64_t first = block * layout.block;
      for (int64_t channel = first; channel < std::min(first + layout.block, layout.channels); ++channel) {
        min_[channel] = std::min(min_[channel], block_min[channel - first]);
        max_[channel] = std::max(max_[channel], block_max[channel - first]);
      }
    }
  }
}

void ChannelExtremes::Update(const float* data, const ChannelLayout& layout, const ParallelFor& parallel_for,
                             BriefLock& lock) {
  const int64_t rows = layout.samples * layout.outer;
  const int64_t row_size = std::max<int64_t>(1, layout.channels * layout.inner);
  const int64_t rows_per_task = std::max<int64_t>(1, kTaskElements / row_size);
  parallel_for(static_cast<size_t>((rows + rows_per_task - 1) / rows_per_task), [&](size_t task) {
    const int64_t begin = static_cast<int64_t>(task) * rows_per_task;
    ChannelExtremes part(layout.channels);
    part.AddRows(data, layout, begin, std::min(rows, begin + rows_per_task));
    part.RemoveNegativeZeros();
    const std::lock_guard hold(lock);
    Merge(part);
  });
}

void ChannelExtremes::RemoveNegativeZeros() {
  for (float& value : min_) value += 0.0f;
  for (float& value : max_) value += 0.0f;
}

void ChannelExtremes::Merge(const ChannelExtremes& other) {
  for (size_t channel = 0; channel < min_.size(); ++channel) {
    min_[channel] = std::min(min_[channel], other.min_[channel]);
    max_[channel] = std::max(max_[channel], other.max_[channel]);
  }
}

void ChannelExtremes::Write(WireWriter& out) const {
  for (const float value : min_) out.Float(value);
  for (const float value : max_) out.Float(value);
}

ChannelExtremes ChannelExtremes::Read(int64_t channels, WireReader& in) {
  ChannelExtremes extremes(channels);
  for (float& value : extremes.min_) value = in.Float();
  for (float& value : extremes.max_) value = in.Float();
  return extremes;
}

bool ChannelExtremes::IsInside(float low, float high) const {
  for (size_t channel = 0; channel < min_.size(); ++channel) {
    const bool empty = min_[channel] == kInfinity && max_[channel] == -kInfinity;
    if (!empty && !(low <= min_[channel] && min_[channel] <= max_[channel] && max_[channel] <= high)) return false;
  }
  return true;
}

}  // namespace preon
