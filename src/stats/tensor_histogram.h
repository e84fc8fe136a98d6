// TensorHistogram: mirrored power-of-two bins of a tensor's non-zero finite values; widens by doubling.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "stats/bin_counts.h"
#include "stats/wire.h"

namespace preon {

struct Histogram;
struct ValueCounts;

/// Two sets of counts, each a function of the data alone:
///   bulk  every element of samples counted whole (weight 1), the fixed subset of blocks of larger samples (weight
///   SampleRate); tail  every element in the outer bins [kTailBin, kBinsPerSign). Only once a sample was sampled; until
///   then the bulk has it all.
/// The width is a function of max|x| alone. Doubling it maps bin b to b / 2 in both; tail bins that fall below kTailBin
/// are dropped, and what lies in the tail afterwards was in the tail before. Hence adding and merging commute exactly.
class TensorHistogram {
 public:
  /// Exact tail: |x| >= kTailBin bins, which is between 1/4 and 1/2 of the maximum. (Measured: docs/design/sketch.md.)
  static constexpr size_t kTailBin = kBinsPerSign / 4;
  static constexpr int kMinWidthExponent = -126;  // the narrowest bins whose inverse is a float
  static constexpr int kMaxWidthExponent = 116;

  /// Smallest k in range with max_magnitude < kBinsPerSign * 2^k.
  static int WidthExponent(float max_magnitude);
  /// Smallest magnitude in the exact tail.
  static float TailBound(int width_exponent);

  int width_exponent() const { return width_exponent_; }
  bool sampled() const { return sampled_; }
  /// Before the first sampled sample: from now on the tail is kept apart.
  void StartSampling();
  /// Widens the bins to 2^width_exponent where they are narrower.
  void WidenTo(int width_exponent);
  void Merge(const TensorHistogram& other);
  /// By how many bits a bin of data 2^width_exponent wide, not wider than these bins, is shifted to find its bin here.
  int ShiftFrom(int width_exponent) const;

  /// See BinCounts::Prefetch.
  void Prefetch() const;
  /// Counts of one sign, to add to; see ShiftFrom.
  BinCounts& bulk(bool negative) { return bulk_[negative]; }
  BinCounts& tail(bool negative) { return tail_[negative]; }

  Histogram Read(const ValueCounts& counts) const;
  void Write(WireWriter& out) const;
  /// False when the bytes can't have come from Write on a histogram of these counts.
  bool Parse(WireReader& in, const ValueCounts& counts);

 private:
  int width_exponent_ = kMinWidthExponent;
  bool sampled_ = false;
  std::array<BinCounts, 2> bulk_;  // [0] positive, [1] negative values
  std::array<BinCounts, 2> tail_{BinCounts(kTailBin), BinCounts(kTailBin)};
};

}  // namespace preon
