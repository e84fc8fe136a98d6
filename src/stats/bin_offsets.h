// BinOffsets: where in its bin the mean of a histogram's bin lies.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/histogram.h"
#include "stats/wire.h"

namespace preon {

struct Histogram;
class TensorHistogram;

/// Per bin of a histogram, the sum of its values' offsets from the edge nearer to zero, in units of 2^-kFineBits of a
/// bin. Values count with 20 significant bits; then these sums are integers, and stay so when bins are joined: adding,
/// merging and widening commute exactly. Not for the bins next to zero, where an offset may have any number of digits.
class BinOffsets {
 public:
  /// Makes room for bins [0, end) of a sign.
  void Reserve(bool negative, size_t end);
  /// The sums from bin 0 on for tight loops that add what was reserved; bin 0 has none and stays 0.
  uint64_t* data(bool negative) { return sums_[negative].data(); }
  /// Adds `count` values of bin `bin`, 2^-shift as wide as these, with this sum of offsets. The room was reserved.
  void AddReserved(bool negative, size_t bin, uint64_t count, uint64_t offsets, int shift) {
    const size_t target = bin >> shift;
    const uint64_t steps = bin - (target << shift);  // bins between the edges nearer to zero
    if (target > 0) sums_[negative][target] += (count * steps << (kFineBits - shift)) + (offsets >> shift);
  }
  /// Before the histogram, whose bins these are, is widened.
  void WidenTo(int width_exponent, const TensorHistogram& histogram);
  /// Adds those of another histogram; both are the ones before the histograms are merged.
  void Merge(const BinOffsets& other, const TensorHistogram& other_histogram, const TensorHistogram& histogram);

  /// Fills in the means.
  void ReadInto(Histogram& out, const TensorHistogram& histogram) const;
  void Write(WireWriter& out, const TensorHistogram& histogram) const;
  /// False when the bytes can't have come from Write for this histogram.
  bool Parse(WireReader& in, const TensorHistogram& histogram);

 private:
  uint64_t sum(bool negative, size_t bin) const { return bin < sums_[negative].size() ? sums_[negative][bin] : 0; }
  void AddAll(const BinOffsets& other, const TensorHistogram& other_histogram, int shift);

  std::array<std::vector<uint64_t>, 2> sums_;  // [0] positive, [1] negative values
};

}  // namespace preon
