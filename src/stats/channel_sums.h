// ChannelSums: the mean per channel, from the values that a sampled sketch counts (all of them in exact mode).
#pragma once

#include <cstdint>
#include <vector>

#include "stats/sample_stream.h"
#include "stats/wire.h"

namespace preon {

/// Sums of one task (values as in kernels/channel_units.h).
class PendingChannelSums {
 public:
  explicit PendingChannelSums(int64_t channels) : sums_(static_cast<size_t>(channels)), counts_(sums_.size()) {}
  bool empty() const { return sums_.empty(); }
  /// x[0 … count), finite, are the elements from `position` on of a sample of `stream`.
  void Add(const SampleStream& stream, int64_t position, const float* x, int64_t count);

 private:
  friend class ChannelSums;
  std::vector<double> sums_;  // whole numbers of units
  std::vector<uint32_t> counts_;
};

/// Empty when switched off (channels 0).
class ChannelSums {
 public:
  explicit ChannelSums(int64_t channels = 0) : sums_(static_cast<size_t>(channels)), counts_(sums_.size()) {}
  int64_t channels() const { return static_cast<int64_t>(sums_.size()); }
  /// Takes what has been added; `pending` is empty afterwards.
  void Take(PendingChannelSums& pending);
  void Merge(const ChannelSums& other);
  /// 0 for a channel without values.
  std::vector<double> Means() const;
  void Write(WireWriter& out) const;
  static ChannelSums Read(int64_t channels, WireReader& in);

 private:
  std::vector<uint64_t> sums_;  // two's complement: wraps rather than saturates, which commutes
  std::vector<uint64_t> counts_;
};

}  // namespace preon
