#include "stats/tensor_histogram.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stats/sampling.h"
#include "stats/sketch_histogram.h"
#include "stats/value_counts.h"

namespace preon {

namespace {
constexpr int kBinBits = 12;
static_assert(kBinsPerSign == 1 << kBinBits);
constexpr size_t kMaxWaiting = 4096;
constexpr size_t kCountsPerLine = 64 / sizeof(uint32_t);
// Sampled elements come as blocks of neighbours, which are alike: they know less of the end than as many apart would.
constexpr double kCountsBeyond = 2;

// Of what lies in the bins [from, end), the share in `bin`: the share beyond a point falls with its distance from the
// mean.
double ShareOfBin(size_t bin, size_t from, size_t end, double mean) {
  const double nearest = std::max(static_cast<double>(from) - mean, 0.0) + 1;
  const auto beyond = [&](size_t at) { return nearest / (nearest + static_cast<double>(at - from)); };
  return (beyond(bin) - beyond(bin + 1)) / (beyond(from) - beyond(end));
}

}  // namespace

int TensorHistogram::WidthExponent(float max_magnitude) {
  if (max_magnitude == 0) return kMinWidthExponent;
  int exponent;
  std::frexp(max_magnitude, &exponent);  // max_magnitude < 2^exponent, and not below half of that
  return std::max(kMinWidthExponent, exponent - kBinBits);
}

float TensorHistogram::TailBound(int width_exponent) {
  return std::ldexp(static_cast<float>(kTailBin), width_exponent);
}

int TensorHistogram::ShiftFrom(int width_exponent) const {
  return std::min(width_exponent_ - width_exponent, kBinBits);
}

void TensorHistogram::AddIndices(std::span<const uint16_t> indices, const size_t (&reach)[2], uint32_t weight,
                                 int shift) {
  if (waiting_.size() + indices.size() > kMaxWaiting || weight != waiting_weight_) Settle();
  waiting_weight_ = weight;
  waiting_.reserve(kMaxWaiting);
  if (shift == 0) {
    waiting_.insert(waiting_.end(), indices.begin(), indices.end());
  } else {
    for (const uint16_t index : indices) {
      const size_t part = index / kBinsPerSign;
      const size_t bin = index % kBinsPerSign >> shift;
      if (part < 2 || bin >= kTailBin) waiting_.push_back(static_cast<uint16_t>(part * kBinsPerSign + bin));
    }
  }
  for (size_t sign = 0; sign < 2; ++sign) {
    if (reach[sign] > 0) waiting_reach_[sign] = std::max(waiting_reach_[sign], ((reach[sign] - 1) >> shift) + 1);
  }
}

void TensorHistogram::AddDense(const uint16_t* even, const uint16_t* odd, const size_t (&reach)[2], uint64_t values,
                               uint32_t weight, int shift) {
  for (size_t part = 0; part < parts(); ++part) {
    const size_t end = reach[part % 2];
    if (end == 0) continue;
    BinCounts& counts = this->part(part);
    const uint32_t part_weight = part < 2 ? weight : 1;
    counts.Reserve(((end - 1) >> shift) + 1, values * part_weight);
    counts.AddDense(even + part * kBinsPerSign, odd + part * kBinsPerSign, end, part_weight, shift);
  }
}

void TensorHistogram::Settle() {
  uint32_t* narrow[kParts] = {};
  bool all_narrow = true;
  for (size_t part = 0; part < parts(); ++part) {
    BinCounts& counts = this->part(part);
    counts.Reserve(waiting_reach_[part % 2], waiting_.size() * waiting_weight_);
    narrow[part] = counts.narrow();
    all_narrow &= narrow[part] != nullptr || waiting_reach_[part % 2] == 0;
    // In order they arrive sooner than one by one.
    for (size_t bin = kFirstBins[part]; narrow[part] != nullptr && bin < waiting_reach_[part % 2];
         bin += kCountsPerLine)
      __builtin_prefetch(&narrow[part][bin - kFirstBins[part]], /*write=*/1);
  }
  const uint32_t weight[kParts] = {waiting_weight_, waiting_weight_, 1, 1};
  for (const uint16_t index : waiting_) {
    const size_t part = index / kBinsPerSign;
    const size_t bin = index % kBinsPerSign;
    if (all_narrow) {  // all parts in one loop: to tell them apart by a branch would cost more than the counting
      narrow[part][bin - kFirstBins[part]] += weight[part];
    } else {
      this->part(part).AddReserved(bin, weight[part]);
    }
  }
  waiting_.clear();
  waiting_reach_[0] = waiting_reach_[1] = 0;
}

void TensorHistogram::StartSampling() {
  if (sampled_) return;
  Settle();
  sampled_ = true;
  for (size_t sign = 0; sign < 2; ++sign) tail_[sign].AddAll(bulk_[sign], 0);
}

void TensorHistogram::WidenTo(int width_exponent) {
  if (width_exponent <= width_exponent_) return;
  Settle();
  const int from = std::exchange(width_exponent_, width_exponent);
  for (size_t sign = 0; sign < 2; ++sign) {
    bulk_[sign].Coarsen(ShiftFrom(from));
    tail_[sign].Coarsen(ShiftFrom(from));
  }
}

void TensorHistogram::Merge(const TensorHistogram& other) {
  WidenTo(other.width_exponent_);
  const int shift = ShiftFrom(other.width_exponent_);
  if (other.sampled_) StartSampling();
  for (size_t sign = 0; sign < 2; ++sign) {
    bulk_[sign].AddAll(other.bulk_[sign], shift);
    if (sampled_) tail_[sign].AddAll(other.sampled_ ? other.tail_[sign] : other.bulk_[sign], shift);
  }
}

// The weight of one counted element: that of samples of average size, or less, as a bin that has but one shows.
double TensorHistogram::WeightOfOne(const ValueCounts& counts_of_all) const {
  uint64_t smallest = SampleRate(counts_of_all.count / std::max<uint64_t>(counts_of_all.samples, 1));
  for (const BinCounts& counts : bulk_) {
    for (size_t bin = 0; bin < std::min(counts.end(), kTailBin); ++bin) {
      if (counts[bin] != 0) smallest = std::min<uint64_t>(smallest, counts[bin]);
    }
  }
  return static_cast<double>(smallest);
}

double TensorHistogram::MeanBin(size_t end) const {
  double sum = 0, total = 0;
  for (size_t sign = 0; sign < 2; ++sign) {
    for (size_t bin = 0; bin < std::min(bulk_[sign].end(), end); ++bin) {
      const auto count = static_cast<double>(bulk_[sign][bin]);
      sum += (sign == 0 ? count : -count) * static_cast<double>(bin);
      total += count;
    }
  }
  return total > 0 ? sum / total : 0;
}

size_t TensorHistogram::EndOfCounts(size_t sign, size_t end) const {
  while (end > 0 && bulk_[sign][end - 1] == 0) --end;
  return end;
}

Histogram TensorHistogram::Read(const ValueCounts& counts) const {
  const auto bin_of = [&](float magnitude) { return static_cast<size_t>(std::ldexp(magnitude, -width_exponent_)); };
  const size_t negative_bins = counts.finite() > 0 && counts.min < 0 ? bin_of(-counts.min) + 1 : 0;
  const size_t positive_bins = counts.finite() > 0 && counts.max > 0 ? bin_of(counts.max) + 1 : 0;

  const size_t bulk_end = sampled_ ? kTailBin : kBinsPerSign;
  const size_t bulk_bins[2] = {std::min(positive_bins, bulk_end), std::min(negative_bins, bulk_end)};
  // Bins that values do or may lie in, though the subset has none: beyond the largest of n values lies 1/n of all. Of
  // the end that the bins are made for, at least the outer half is known exactly.
  const size_t seen[2] = {EndOfCounts(0, bulk_bins[0]), EndOfCounts(1, bulk_bins[1])};
  const auto has_unseen = [&](size_t sign, size_t bins) {
    return sampled_ && bins <= kBinsPerSign / 2 && seen[sign] < bulk_bins[sign];
  };
  const bool unseen_ends[2] = {has_unseen(0, positive_bins), has_unseen(1, negative_bins)};
  const bool any = unseen_ends[0] || unseen_ends[1];
  const double beyond = any ? kCountsBeyond * WeightOfOne(counts) : 0, mean = any ? MeanBin(bulk_end) : 0;
  const auto unseen = [&](size_t sign) { return unseen_ends[sign] ? beyond : 0; };

  // What the bulk stands for, so that the total is exact.
  const double sampled_total =
      static_cast<double>(bulk_[0].Total(bulk_end) + bulk_[1].Total(bulk_end)) + unseen(0) + unseen(1);
  const auto bulk_total = static_cast<double>(counts.finite() - counts.zeros - tail_[0].Total() - tail_[1].Total());
  const double scale = sampled_total > 0 ? bulk_total / sampled_total : 0;
  // All of the bulk missed by the subset: spread evenly.
  const auto all_bins = static_cast<double>(bulk_bins[0] + bulk_bins[1]);
  const double even = sampled_total > 0 || all_bins == 0 ? 0 : bulk_total / all_bins;

  Histogram histogram;
  histogram.width = std::ldexp(1.0, width_exponent_);
  histogram.lower_edge = -static_cast<double>(negative_bins) * histogram.width;
  histogram.zeros = static_cast<double>(counts.zeros);
  histogram.counts.resize(negative_bins + positive_bins);
  const auto value = [&](size_t sign, size_t bin) {
    if (bin >= bulk_end) return static_cast<double>(tail_[sign][bin]);
    const double here = bin < seen[sign]
                            ? static_cast<double>(bulk_[sign][bin])
                            : unseen(sign) * ShareOfBin(bin, seen[sign], bulk_bins[sign], sign == 0 ? mean : -mean);
    return here * scale + even;
  };
  for (size_t bin = 0; bin < negative_bins; ++bin) histogram.counts[negative_bins - 1 - bin] = value(1, bin);
  for (size_t bin = 0; bin < positive_bins; ++bin) histogram.counts[negative_bins + bin] = value(0, bin);
  return histogram;
}

void TensorHistogram::Write(WireWriter& out) const {
  out.Varint(sampled_);
  for (size_t sign = 0; sign < 2; ++sign) {
    bulk_[sign].Write(out);
    if (sampled_) tail_[sign].Write(out);
  }
}

bool TensorHistogram::Parse(WireReader& in, const ValueCounts& counts) {
  width_exponent_ = WidthExponent(counts.max_magnitude());
  sampled_ = in.Varint() != 0;
  uint64_t totals[2] = {0, 0};
  for (size_t sign = 0; sign < 2; ++sign) {
    if (!bulk_[sign].Read(in) || (sampled_ && !tail_[sign].Read(in))) return false;
    const float extreme = sign == 0 ? counts.max : -counts.min;
    const size_t bins =
        counts.finite() > 0 && extreme > 0 ? static_cast<size_t>(std::ldexp(extreme, -width_exponent_)) + 1 : 0;
    for (const BinCounts* part : {&bulk_[sign], &tail_[sign]}) {
      for (size_t bin = bins; bin < part->end(); ++bin) {
        if ((*part)[bin] != 0) return false;
      }
    }
    for (size_t part = 0; part < 2; ++part) {
      const uint64_t added = part == 0 ? bulk_[sign].Total() : tail_[sign].Total();
      if (added > ~totals[part]) return false;
      totals[part] += added;
    }
  }
  const uint64_t nonzero = counts.finite() - counts.zeros;
  return sampled_ ? totals[1] <= nonzero : totals[0] == nonzero;
}

}  // namespace preon
