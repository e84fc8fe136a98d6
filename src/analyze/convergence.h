// Convergence: how the ranges grow with the number of samples, whatever the order of the samples.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyze/sample_extents.h"

namespace preon {

/// Expected length of the range of n of the samples, drawn at random, over that of all: 1 for all of them, or where all
/// values are 0. In [0, 1], rises with n. 1 <= n <= samples.
/// Formula: of N values in ascending order, the k-th is the largest of n drawn ones with probability
/// C(k-1, n-1) / C(N, n).
class RangeGrowth {
 public:
  explicit RangeGrowth(const SampleExtents& extents);
  double ShareOf(size_t n) const;
  /// The fewest samples whose share is at least 1 - tolerance.
  size_t Needed(double tolerance) const;

 private:
  std::vector<double> lows_, highs_;  // ascending, as positive ends
  double length_;
};

struct Convergence {
  std::vector<size_t> sizes;  ///< numbers of samples: powers of two, then all
  struct Shares {
    double median, least;  ///< over the tensors
  };
  std::vector<Shares> shares;  ///< one per size
  size_t needed = 0;           ///< samples that half of the tensors need to come within the tolerance
  size_t growing = 0;          ///< tensors that grew by more than the tolerance when the samples were doubled last
  double last_growth = 0;      ///< the median tensor's growth then, as a share of its range
  /// Whether the median tensor was still growing by more than the tolerance. With one sample it is unknown: true.
  bool more_samples_help = true;
};

std::vector<size_t> ConvergenceSizes(size_t samples);
Convergence ConvergenceOf(std::span<const RangeGrowth> tensors, size_t samples, double tolerance);

}  // namespace preon
