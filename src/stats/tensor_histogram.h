// TensorHistogram: mirrored power-of-two bins of a tensor's non-zero finite values; widens by doubling.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "stats/bin_counts.h"
#include "stats/wire.h"

namespace preon {

struct Histogram;
struct ValueCounts;

/// What is counted apart, kBinsPerSign bins each: positive and negative bulk, positive and negative tail.
inline constexpr size_t kParts = 4;
/// The first bin of each that counts.
inline constexpr std::array<size_t, kParts> kFirstBins = {0, 0, kTailBin, kTailBin};

/// Two sets of counts, each a function of the data alone:
///   bulk  every element of samples counted whole (weight 1), the fixed subset of blocks of larger samples (weight
///   SampleRate); tail  every element in the outer bins [kTailBin, kBinsPerSign). Only once a sample was sampled; until
///   then the bulk has it all.
/// The width is a function of max|x| alone. Doubling it maps bin b to b / 2 in both; tail bins that fall below kTailBin
/// are dropped, and what lies in the tail afterwards was in the tail before. Hence adding and merging commute exactly.
class TensorHistogram {
 public:
  static constexpr int kMinWidthExponent = -126;  // the narrowest bins whose inverse is a float

  /// Smallest k in range with max_magnitude < kBinsPerSign * 2^k.
  static int WidthExponent(float max_magnitude);
  /// Smallest magnitude in the exact tail: kTailBin bins, which is between 1/4 and 1/2 of the maximum. (Measured:
  /// docs/design/sketch.md.)
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

  /// Adds bins part * kBinsPerSign + magnitude bin of data whose bins are 2^-shift as wide (see ShiftFrom). The bulk's
  /// count `weight` each. A few hundred values touch hundreds of cache lines of counts, which other tensors' have
  /// driven out meanwhile: so they wait here until there are some thousand.
  /// @param reach  per sign, one past the highest magnitude bin among them
  void AddIndices(std::span<const uint16_t> indices, const size_t (&reach)[2], uint32_t weight, int shift);
  /// The same for counts: even[bin] + odd[bin] of each bin below reach; `values` in all.
  void AddDense(const uint16_t* even, const uint16_t* odd, const size_t (&reach)[2], uint64_t values, uint32_t weight,
                int shift);
  /// The bulk's counts of one sign, of which none may wait: for those who add to them directly (exact mode).
  BinCounts& bulk(bool negative) { return bulk_[negative]; }
  const BinCounts& bulk(bool negative) const { return bulk_[negative]; }
  /// Counts what waits. Before reading, merging and widening.
  void Settle();

  /// Nothing waits in what is read, written or merged.
  Histogram Read(const ValueCounts& counts) const;
  void Write(WireWriter& out) const;
  /// False when the bytes can't have come from Write on a histogram of these counts.
  bool Parse(WireReader& in, const ValueCounts& counts);

 private:
  int width_exponent_ = kMinWidthExponent;
  bool sampled_ = false;
  /// [0] positive, [1] negative values
  size_t parts() const { return sampled_ ? kParts : 2; }
  BinCounts& part(size_t part) { return part < 2 ? bulk_[part] : tail_[part - 2]; }

  double WeightOfOne(const ValueCounts& counts_of_all) const;
  /// Of the bulk, with its sign.
  double MeanBin(size_t end) const;
  /// One past the bulk's last bin below `end` with a count.
  size_t EndOfCounts(size_t sign, size_t end) const;

  std::array<BinCounts, 2> bulk_;
  std::array<BinCounts, 2> tail_{BinCounts(kFirstBins[2]), BinCounts(kFirstBins[3])};
  std::vector<uint16_t> waiting_;  // indices, of these bins' width
  size_t waiting_reach_[2] = {0, 0};
  uint32_t waiting_weight_ = 1;
};

}  // namespace preon
