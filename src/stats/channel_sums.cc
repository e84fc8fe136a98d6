#include "stats/channel_sums.h"

#include <algorithm>

namespace preon {
namespace {

constexpr double kUnitsPerOne = 1 << 20;
constexpr float kLargest = 1 << 18;

double Units(float value) {
  constexpr double kRound = 0x1.8p52;  // numbers near it are whole: adding and subtracting rounds to even
  return static_cast<double>(std::min(std::max(value, -kLargest), kLargest)) * kUnitsPerOne + kRound - kRound;
}

void AddOneChannel(const float* x, int64_t count, double& sum) {
  for (int64_t i = 0; i < count; ++i) sum += Units(x[i]);
}

void AddChannels(const float* x, int64_t count, double* sums, uint32_t* counts) {
  for (int64_t i = 0; i < count; ++i) sums[i] += Units(x[i]);
  for (int64_t i = 0; i < count; ++i) ++counts[i];
}

}  // namespace

void PendingChannelSums::Add(const SampleStream& stream, int64_t position, const float* x, int64_t count) {
  for (int64_t done = 0; done < count;) {
    const SampleStream::ChannelRun run = stream.ChannelsFrom(position + done);
    const int64_t length = std::min(run.length, count - done);
    const auto first = static_cast<size_t>(run.channel);
    if (run.consecutive) {
      AddChannels(x + done, length, &sums_[first], &counts_[first]);
    } else {
      AddOneChannel(x + done, length, sums_[first]);
      counts_[first] += static_cast<uint32_t>(length);
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
    means[channel] =
        static_cast<double>(static_cast<int64_t>(sums_[channel])) / kUnitsPerOne / static_cast<double>(counts_[channel]);
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
