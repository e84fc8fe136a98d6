#include "stats/sample_extremes.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/float_env.h"

namespace preon {
namespace {

// Of a float's 23 bits behind the leading one, those that stay.
constexpr int kMantissaBits = 6;
constexpr int kDroppedBits = 23 - kMantissaBits;
constexpr size_t kMaxWaitingExtremes = 64;

int16_t Key(float value) {
  const auto magnitude = static_cast<int16_t>(std::bit_cast<uint32_t>(std::fabs(value)) >> kDroppedBits);
  return value < 0 ? static_cast<int16_t>(-1 - magnitude) : magnitude;
}

// The middle of a key's interval.
double Value(int16_t key) {
  const auto magnitude = static_cast<uint32_t>(key < 0 ? -1 - key : key);
  if (magnitude == 0) return 0;
  const auto middle = std::bit_cast<float>(magnitude << kDroppedBits | 1u << (kDroppedBits - 1));
  return key < 0 ? -middle : middle;
}

}  // namespace

uint64_t& LogCounts::CountOf(int16_t key) {
  auto found = std::ranges::lower_bound(counts_, key, {}, &std::pair<int16_t, uint64_t>::first);
  if (found == counts_.end() || found->first != key) found = counts_.insert(found, {key, 0});
  return found->second;
}

void LogCounts::Add(float value) {
  waiting_.reserve(kMaxWaitingExtremes);
  waiting_.push_back(value);
  if (waiting_.size() == kMaxWaitingExtremes) Settle();
}

void LogCounts::Settle() {
  for (const float value : waiting_) {
    ++CountOf(Key(value));
    sum_.Add(value);
  }
  total_ += waiting_.size();
  waiting_.clear();
}

void LogCounts::Merge(const LogCounts& other) {
  for (const auto& [key, count] : other.counts_) CountOf(key) += count;
  total_ += other.total_;
  sum_.Merge(other.sum_);
}

LogCounts LogCounts::Mapped(const std::function<float(double)>& f) const {
  LogCounts mapped;
  for (const auto& [key, count] : counts_) {
    const float value = f(Value(key));
    mapped.CountOf(Key(value)) += count;
    mapped.total_ += count;
    mapped.sum_.Add(static_cast<double>(value) * static_cast<double>(count));
  }
  return mapped;
}

double LogCounts::Mean() const { return total_ == 0 ? 0 : sum_.ToDouble() / static_cast<double>(total_); }

double LogCounts::Median() const {
  double sum = 0;
  // The middle value, or the two next to the middle.
  for (const uint64_t rank : {(total_ - 1) / 2, total_ / 2}) {
    uint64_t below = 0;
    for (const auto& [key, count] : counts_) {
      below += count;
      if (below <= rank) continue;
      sum += Value(key) / 2;
      break;
    }
  }
  return sum;
}

void LogCounts::Write(WireWriter& out) const {
  out.Varint(counts_.size());
  int64_t last = 0;
  for (const auto& [key, count] : counts_) {
    out.Varint(ZigZag(key - last));
    out.Varint(count);
    last = key;
  }
  sum_.Write(out);
}

LogCounts LogCounts::Read(WireReader& in) {
  LogCounts counts;
  int64_t key = 0;
  for (uint64_t left = in.Varint(); left > 0 && in.ok(); --left) {
    key += UnZigZag(in.Varint());
    const uint64_t count = in.Varint();
    if (!counts.counts_.empty() && key <= counts.counts_.back().first) break;  // not canonical, as the caller will see
    counts.counts_.emplace_back(static_cast<int16_t>(key), count);
    counts.total_ += count;
  }
  counts.sum_ = FixedSum::Read(in);
  return counts;
}

void SampleExtremes::Add(float sample_min, float sample_max) {
  if (sample_min > sample_max) return;
  min.Add(sample_min);
  max.Add(sample_max);
}

void SampleExtremes::Settle() {
  const DefaultFloatEnv float_env;  // an extreme may be denormal
  min.Settle();
  max.Settle();
}

void SampleExtremes::Merge(const SampleExtremes& other) {
  min.Merge(other.min);
  max.Merge(other.max);
}

void SampleExtremes::Write(WireWriter& out) const {
  min.Write(out);
  max.Write(out);
}

SampleExtremes SampleExtremes::Read(WireReader& in) {
  SampleExtremes extremes;
  extremes.min = LogCounts::Read(in);
  extremes.max = LogCounts::Read(in);
  return extremes;
}

}  // namespace preon
