#include "stats/bin_offsets.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "stats/sketch_histogram.h"
#include "stats/tensor_histogram.h"

namespace preon {

namespace {
constexpr size_t kOffsetGranule = 64;              // memory grows by that many bins
constexpr uint64_t kMaxCount = uint64_t{1} << 44;  // of a bin; its sum of offsets fits 64 bits
int ShiftBetween(int from, int to) { return std::min(to - from, std::countr_zero(kBinsPerSign)); }
int ZeroBits(size_t bin) { return std::bit_width(bin) - 1; }  // at the end of every offset in this bin
}  // namespace

void BinOffsets::Reserve(bool negative, size_t end) {
  if (end > sums_[negative].size())
    sums_[negative].resize((end + kOffsetGranule - 1) / kOffsetGranule * kOffsetGranule);
}

void BinOffsets::AddAll(const BinOffsets& other, const TensorHistogram& other_histogram, int shift) {
  for (const bool negative : {false, true}) {
    const BinCounts& counts = other_histogram.bulk(negative);
    if (counts.end() == 0) continue;
    Reserve(negative, ((counts.end() - 1) >> shift) + 1);
    for (size_t bin = 1; bin < counts.end(); ++bin) {
      if (counts[bin] > 0) AddReserved(negative, bin, counts[bin], other.sum(negative, bin), shift);
    }
  }
}

void BinOffsets::WidenTo(int width_exponent, const TensorHistogram& histogram) {
  if (width_exponent <= histogram.width_exponent()) return;
  const BinOffsets fine = std::exchange(*this, {});
  AddAll(fine, histogram, ShiftBetween(histogram.width_exponent(), width_exponent));
}

void BinOffsets::Merge(const BinOffsets& other, const TensorHistogram& other_histogram,
                       const TensorHistogram& histogram) {
  WidenTo(other_histogram.width_exponent(), histogram);
  const int width_exponent = std::max(histogram.width_exponent(), other_histogram.width_exponent());
  AddAll(other, other_histogram, ShiftBetween(other_histogram.width_exponent(), width_exponent));
}

void BinOffsets::ReadInto(Histogram& out, const TensorHistogram& histogram) const {
  const auto negative_bins = static_cast<size_t>(-out.lower_edge / out.width);
  for (size_t i = 0; i < out.counts.size(); ++i) {
    const bool negative = i < negative_bins;
    const size_t bin = negative ? negative_bins - 1 - i : i - negative_bins;
    const uint64_t count = histogram.bulk(negative)[bin];
    const double offset = bin == 0 || count == 0 ? 0.5
                                                 : static_cast<double>(sum(negative, bin)) /
                                                       (static_cast<double>(count) * (1 << kFineBits));
    const double magnitude = (static_cast<double>(bin) + offset) * out.width;
    out.means.push_back(negative ? -magnitude : magnitude);
  }
}

void BinOffsets::Write(WireWriter& out, const TensorHistogram& histogram) const {
  for (const bool negative : {false, true}) {
    const BinCounts& counts = histogram.bulk(negative);
    for (size_t bin = 1; bin < counts.end(); ++bin) {
      if (counts[bin] > 0) out.Varint(sum(negative, bin) >> ZeroBits(bin));
    }
  }
}

bool BinOffsets::Parse(WireReader& in, const TensorHistogram& histogram) {
  for (const bool negative : {false, true}) {
    const BinCounts& counts = histogram.bulk(negative);
    Reserve(negative, counts.end());
    for (size_t bin = 1; bin < counts.end(); ++bin) {
      const uint64_t count = counts[bin];
      if (count == 0) continue;
      const uint64_t sum = in.Varint();
      const uint64_t largest = (uint64_t{1} << (kFineBits - ZeroBits(bin))) - 1;  // offset of one value
      if (!in.ok() || count > kMaxCount || sum > count * largest) return false;
      sums_[negative][bin] = sum << ZeroBits(bin);
    }
  }
  return in.ok();
}

}  // namespace preon
