// ChannelExtremes: exact minimum and maximum per channel.
#pragma once

#include <cstdint>
#include <vector>

#include "base/parallel.h"
#include "stats/brief_lock.h"
#include "stats/channel_layout.h"
#include "stats/wire.h"

namespace preon {

/// Of finite values; +infinity and -infinity for a channel that has none. Empty when switched off (channels 0).
class ChannelExtremes {
 public:
  explicit ChannelExtremes(int64_t channels = 0);

  /// `layout.channels` is the number given above. `lock` guards this object.
  void Update(const float* data, const ChannelLayout& layout, const ParallelFor& parallel_for, BriefLock& lock);
  void Merge(const ChannelExtremes& other);
  const std::vector<float>& min() const { return min_; }
  const std::vector<float>& max() const { return max_; }
  void Write(WireWriter& out) const;
  static ChannelExtremes Read(int64_t channels, WireReader& in);
  /// Whether every channel is inside [low, high], the tensor's own extremes.
  bool IsInside(float low, float high) const;

 private:
  /// Rows [begin, end) of the layout's samples * outer rows.
  void AddRows(const float* data, const ChannelLayout& layout, int64_t begin, int64_t end);
  void RemoveNegativeZeros();

  std::vector<float> min_;
  std::vector<float> max_;
};

}  // namespace preon
