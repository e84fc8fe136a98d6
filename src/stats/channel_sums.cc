#include "stats/channel_sums.h"

#include <algorithm>

#include "kernels/channel_units.h"

namespace preon {
namespace {

// Whole numbers again: in any order the same.
void AddToOne(const float* x, int64_t count, double& sum) {
  constexpr int64_t kLanes = 16;
  double lanes[kLanes] = {};
  for (int64_t done = 0; done < count; done += kLanes)
    AddUnits(x + done, static_cast<size_t>(std::min(kLanes, count - done)), lanes);
  for (const double lane : lanes) sum += lane;
}

}  // namespace

void PendingChannelSums::Add(const SampleStream& stream, int64_t position, const float* x, int64_t count) {
  for (int64_t done = 0; done < count;) {
    const SampleStream::ChannelRun run = stream.ChannelsFrom(position + done);
    const int64_t length = std::min(run.length, count - done);
    double* sums = &sums_[static_cast<size_t>(run.channel)];
    uint32_t* counts = &counts_[static_cast<size_t>(run.channel)];
    if (run.consecutive) {
      AddUnits(x + done, static_cast<size_t>(length), sums);
      for (int64_t i = 0; i < length; ++i) ++counts[i];
    } else {
      AddToOne(x + done, length, *sums);
      *counts += static_cast<uint32_t>(length);
    }
    done += length;
  }
}

void ChannelSums::Take(PendingChannelSums& pending) {
  for (size_t channel = 0; channel < sums_.size(); ++channel) {
    sums_[channel] += static_cast<uint64_t>(static_cast<int64_t>(pending.sums_[channel]));
    counts_[channel] += pending.counts_[channel];
  }
  std::fill(pending.sums_.begin(), pending.sums_.end(), 0);
  std::fill(pending.counts_.begin(), pending.counts_.end(), 0);
}

void ChannelSums::Merge(const ChannelSums& other) {
  for (size_t channel = 0; channel < sums_.size(); ++channel) {
    sums_[channel] += other.sums_[channel];
    counts_[channel] += other.counts_[channel];
  }
}

std::vector<double> ChannelSums::Means() const {
  std::vector<double> means(sums_.size());
  for (size_t channel = 0; channel < means.size(); ++channel) {
    if (counts_[channel] == 0) continue;
    means[channel] = static_cast<double>(static_cast<int64_t>(sums_[channel])) / kUnitsPerOne /
                     static_cast<double>(counts_[channel]);
  }
  return means;
}

void ChannelSums::Write(WireWriter& out) const {
  for (size_t channel = 0; channel < sums_.size(); ++channel) {
    out.Varint(ZigZag(static_cast<int64_t>(sums_[channel])));
    out.Varint(counts_[channel]);
  }
}

ChannelSums ChannelSums::Read(int64_t channels, WireReader& in) {
  ChannelSums sums(channels);
  for (size_t channel = 0; channel < sums.sums_.size() && in.ok(); ++channel) {
    sums.sums_[channel] = static_cast<uint64_t>(UnZigZag(in.Varint()));
    sums.counts_[channel] = in.Varint();
  }
  return sums;
}

}  // namespace preon
