#include "analyze/convergence.h"

#include <algorithm>

#include "analyze/middle.h"
#include "base/check.h"

namespace preon {
namespace {

// Must not tell of growth where there is none.
constexpr double kRounding = 1e-12;

/// Expected largest of n of the values, which ascend.
double ExpectedLargest(const std::vector<double>& values, size_t n) {
  double sum = 0, weight = static_cast<double>(n) / static_cast<double>(values.size());
  for (size_t k = values.size(); k >= n; --k) {
    sum += weight * values[k - 1];
    if (k > 1) weight *= static_cast<double>(k - n) / static_cast<double>(k - 1);
  }
  return sum;
}

}  // namespace

RangeGrowth::RangeGrowth(const SampleExtents& extents) : length_(extents.all.length()) {
  for (const Extent& extent : extents.samples) {
    lows_.push_back(-extent.min);
    highs_.push_back(extent.max);
  }
  std::ranges::sort(lows_);
  std::ranges::sort(highs_);
}

double RangeGrowth::ShareOf(size_t n) const {
  PREON_CHECK(n >= 1 && n <= lows_.size());
  if (length_ == 0) return 1;
  const double share = (ExpectedLargest(lows_, n) + ExpectedLargest(highs_, n)) / length_;
  return share > 1 - kRounding ? 1 : share;
}

size_t RangeGrowth::Needed(double tolerance) const {
  size_t low = 1, high = lows_.size();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (ShareOf(middle) >= 1 - tolerance) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

std::vector<size_t> ConvergenceSizes(size_t samples) {
  std::vector<size_t> sizes;
  for (size_t size = 1; size < samples; size *= 2) sizes.push_back(size);
  sizes.push_back(samples);
  return sizes;
}

Convergence ConvergenceOf(std::span<const RangeGrowth> tensors, size_t samples, double tolerance) {
  PREON_CHECK(!tensors.empty());
  Convergence convergence{.sizes = ConvergenceSizes(samples)};
  for (const size_t size : convergence.sizes) {
    std::vector<double> shares;
    for (const RangeGrowth& tensor : tensors) shares.push_back(tensor.ShareOf(size));
    convergence.shares.push_back({.median = Middle(shares), .least = std::ranges::min(shares)});
  }
  std::vector<size_t> needed;
  for (const RangeGrowth& tensor : tensors) needed.push_back(tensor.Needed(tolerance));
  convergence.needed = Middle(std::move(needed));
  if (samples < 2) return convergence;
  std::vector<double> growths;
  for (const RangeGrowth& tensor : tensors) growths.push_back(1 - tensor.ShareOf(samples / 2));
  convergence.growing =
      static_cast<size_t>(std::ranges::count_if(growths, [&](double growth) { return growth > tolerance; }));
  convergence.last_growth = Middle(std::move(growths));
  convergence.more_samples_help = convergence.last_growth > tolerance;
  return convergence;
}

}  // namespace preon
