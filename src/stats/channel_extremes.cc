#include "stats/channel_extremes.h"

#include <algorithm>
#include <limits>

#include "kernels/extremes.h"

namespace preon {

namespace {
constexpr float kInfinity = std::numeric_limits<float>::infinity();
}  // namespace

ChannelExtremes::ChannelExtremes(int64_t channels)
    : min_(static_cast<size_t>(channels), kInfinity), max_(static_cast<size_t>(channels), -kInfinity) {}

void ChannelExtremes::Add(const SampleStream& stream, int64_t position, const float* x, int64_t count) {
  for (int64_t done = 0; done < count;) {
    const SampleStream::ChannelRun run = stream.ChannelsFrom(position + done);
    float* min = &min_[static_cast<size_t>(run.channel)];
    float* max = &max_[static_cast<size_t>(run.channel)];
    const int64_t length = std::min(run.length, count - done);
    if (!run.consecutive) {
      RunExtremes(x + done, static_cast<size_t>(length), min, max);
      done += length;
      continue;
    }
    // A run that starts or ends between two places has a row of fewer channels there.
    const int64_t rows = std::clamp<int64_t>(stream.PlacesFrom(position + done), 1, (count - done) / length);
    ColumnExtremes(x + done, static_cast<size_t>(rows), static_cast<size_t>(length), min, max);
    done += rows * length;
  }
}

bool ChannelExtremes::FollowLanes(const SampleStream& stream, int64_t position, int64_t count) const {
  if (empty()) return false;
  const SampleStream::ChannelRun run = stream.ChannelsFrom(position);
  if (!run.consecutive) return run.length >= count;
  return int64_t{kStatLanes} % run.length == 0 && stream.PlacesFrom(position) * run.length >= count;
}

void ChannelExtremes::AddLanes(const SampleStream& stream, int64_t position, const LaneExtremes& lanes) {
  const SampleStream::ChannelRun run = stream.ChannelsFrom(position);
  const auto channels = run.consecutive ? static_cast<size_t>(run.length) : 1;
  for (size_t lane = 0; lane < kStatLanes; ++lane) {
    const size_t channel = static_cast<size_t>(run.channel) + lane % channels;
    min_[channel] = std::min(min_[channel], lanes.min[lane]);
    max_[channel] = std::max(max_[channel], lanes.max[lane]);
  }
}

void ChannelExtremes::Merge(const ChannelExtremes& other) {
  for (size_t channel = 0; channel < min_.size(); ++channel) {
    // + 0: never -0, which of the two a vector's minimum keeps depends on the order.
    min_[channel] = std::min(min_[channel], other.min_[channel] + 0.0f);
    max_[channel] = std::max(max_[channel], other.max_[channel] + 0.0f);
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
