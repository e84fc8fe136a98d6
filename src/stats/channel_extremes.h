// ChannelExtremes: exact minimum and maximum per channel.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/run_stats.h"
#include "stats/sample_stream.h"
#include "stats/wire.h"

namespace preon {

/// Of finite values; +infinity and -infinity for a channel that has none. Empty when switched off (channels 0).
class ChannelExtremes {
 public:
  explicit ChannelExtremes(int64_t channels = 0);

  bool empty() const { return min_.empty(); }
  /// Elements [position, position + count) of a sample, whose values are at x.
  void Add(const SampleStream& stream, int64_t position, const float* x, int64_t count);
  /// Whether each lane of such a run has values of one channel alone, so that their extremes will do.
  bool FollowLanes(const SampleStream& stream, int64_t position, int64_t count) const;
  /// Such a run's.
  void AddLanes(const SampleStream& stream, int64_t position, const LaneExtremes& lanes);
  void Merge(const ChannelExtremes& other);
  const std::vector<float>& min() const { return min_; }
  const std::vector<float>& max() const { return max_; }
  void Write(WireWriter& out) const;
  static ChannelExtremes Read(int64_t channels, WireReader& in);
  /// Whether every channel is inside [low, high], the tensor's own extremes.
  bool IsInside(float low, float high) const;

 private:
  std::vector<float> min_;
  std::vector<float> max_;
};

}  // namespace preon
