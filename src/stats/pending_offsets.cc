#include "stats/pending_offsets.h"

#include <algorithm>
#include <span>
#include <utility>

namespace preon {

namespace {
constexpr uint32_t kOffsetMask = (1u << kFineBits) - 1;
}  // namespace

void PendingOffsets::Add(const float* x, size_t count, float inv_width, const size_t (&reach)[2]) {
  for (size_t sign = 0; sign < 2; ++sign) reach_[sign] = std::max(reach_[sign], reach[sign]);
  for (size_t begin = 0; begin < count; begin += kStep) {
    listed_ += FineBins(x + begin, std::min(kStep, count - begin), inv_width, list_ + listed_);
    if (listed_ > kListLength) SumListed();
  }
}

void PendingOffsets::SumListed() {
  if (!sums_) sums_ = std::make_unique_for_overwrite<uint64_t[]>(2 * kBins);
  uint64_t* const a = sums_.get();
  uint64_t* const b = a + kBins;
  for (size_t sign = 0; sign < 2; ++sign) {
    if (reach_[sign] <= cleared_[sign]) continue;
    for (uint64_t* const half : {a + sign * kBinsPerSign, b + sign * kBinsPerSign})
      std::fill(half + cleared_[sign], half + reach_[sign], 0);
    cleared_[sign] = reach_[sign];
  }
  const auto value = [](uint32_t word) { return (uint64_t{1} << kCountShift) | (word & kOffsetMask); };
  size_t i = 0;
  for (; i + 2 <= listed_; i += 2) {
    a[list_[i] >> kFineBits] += value(list_[i]);
    b[list_[i + 1] >> kFineBits] += value(list_[i + 1]);
  }
  if (i < listed_) a[list_[i] >> kFineBits] += value(list_[i]);
  summed_ += std::exchange(listed_, 0);
}

void PendingOffsets::FlushInto(TensorHistogram& histogram, BinOffsets& offsets, int shift) {
  if (summed_ > 0) SumListed();
  for (const bool negative : {false, true}) {
    if (reach_[negative] == 0) continue;
    BinCounts& counts = histogram.bulk(negative);
    const size_t end = ((reach_[negative] - 1) >> shift) + 1;
    counts.Reserve(end, listed_ + summed_);
    offsets.Reserve(negative, end);
    if (summed_ == 0) continue;
    const uint64_t* const sums = sums_.get() + negative * kBinsPerSign;
    constexpr uint64_t kOffsets = (uint64_t{1} << kCountShift) - 1;
    if (uint32_t* const narrow = counts.narrow(); shift == 0 && narrow != nullptr) {
      uint64_t* const of_bin = offsets.data(negative);
      for (size_t bin = 0; bin < reach_[negative]; ++bin) {
        const uint64_t sum = sums[bin] + sums[kBins + bin];
        narrow[bin] += static_cast<uint32_t>(sum >> kCountShift);
        of_bin[bin] += sum & kOffsets;
      }
      of_bin[0] = 0;
      continue;
    }
    for (size_t bin = 0; bin < reach_[negative]; ++bin) {
      const uint64_t sum = sums[bin] + sums[kBins + bin];
      if (sum == 0) continue;
      counts.AddReserved(bin >> shift, sum >> kCountShift);
      offsets.AddReserved(negative, bin, sum >> kCountShift, sum & kOffsets, shift);
    }
  }
  for (const uint32_t word : std::span(list_, listed_)) {
    const bool negative = word >> 31 != 0;
    const size_t bin = (word >> kFineBits) % kBinsPerSign;
    histogram.bulk(negative).AddReserved(bin >> shift, 1);
    offsets.AddReserved(negative, bin, 1, word & kOffsetMask, shift);
  }
  listed_ = summed_ = reach_[0] = reach_[1] = cleared_[0] = cleared_[1] = 0;
}

}  // namespace preon
