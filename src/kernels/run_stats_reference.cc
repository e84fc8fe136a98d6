#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "kernels/run_stats.h"

namespace preon {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Below this, squares may have lost bits to float's denormals.
constexpr double kSmallestTrustedSquares = 0x1p-64;

double TreeSum(const double (&lanes)[kStatLanes / 2]) {
  double level[kStatLanes / 2];
  std::copy(std::begin(lanes), std::end(lanes), level);
  for (size_t half = kStatLanes / 4; half > 0; half /= 2) {
    for (size_t lane = 0; lane < half; ++lane) level[lane] += level[lane + half];
  }
  return level[0];
}

// The same statistics with NaN and infinities told apart, and squares in double, where those of floats are exact.
RunStats CheckedRunStats(const float* x, size_t count, float tail_bound) {
  RunStats stats{.min = kInfinity, .max = -kInfinity};
  internal::StatLanes lanes;
  for (size_t i = 0; i < count; ++i) {
    const float value = x[i];
    if (!std::isfinite(value)) {
      ++(std::isnan(value) ? stats.nans : stats.infs);
      continue;
    }
    const double wide = value;
    lanes.wide_sum[i % (kStatLanes / 2)] += wide;
    lanes.wide_sum_squares[i % (kStatLanes / 2)] += wide * wide;
    stats.zeros += value == 0;
    stats.min = std::min(stats.min, value);
    stats.max = std::max(stats.max, value);
    internal::MarkTail(stats.tail, i, value, tail_bound);
  }
  stats.min += 0.0f;
  stats.max += 0.0f;
  stats.sum = TreeSum(lanes.wide_sum);
  stats.sum_squares = TreeSum(lanes.wide_sum_squares);
  return stats;
}

}  // namespace

namespace internal {

void StatLanes::Add(size_t lane, float value) {
  sum[lane] += value;
  sum_squares[lane] = std::fma(value, value, sum_squares[lane]);
}

void StatLanes::EndBlock() {
  constexpr size_t kHalf = kStatLanes / 2;
  for (size_t lane = 0; lane < kHalf; ++lane) {
    wide_sum[lane] += static_cast<double>(sum[lane] + sum[lane + kHalf]);
    wide_sum_squares[lane] += static_cast<double>(sum_squares[lane] + sum_squares[lane + kHalf]);
  }
  std::fill(std::begin(sum), std::end(sum), 0.0f);
  std::fill(std::begin(sum_squares), std::end(sum_squares), 0.0f);
}

RunStats FinishRunStats(RunStats stats, StatLanes& lanes, const float* x, size_t count, float tail_bound) {
  if (count % kStatBlock != 0) lanes.EndBlock();
  stats.sum = TreeSum(lanes.wide_sum);
  stats.sum_squares = TreeSum(lanes.wide_sum_squares);
  const bool trusted = std::isfinite(stats.sum) && std::isfinite(stats.sum_squares) &&
                       (stats.sum_squares >= kSmallestTrustedSquares || stats.zeros == count);
  if (!trusted || count == 0) return CheckedRunStats(x, count, tail_bound);
  stats.min += 0.0f;  // -0 becomes +0: which of the two a vector minimum keeps depends on the order
  stats.max += 0.0f;
  return stats;
}

}  // namespace internal

void ReplaceNonFinite(const float* x, size_t count, float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = std::isfinite(x[i]) ? x[i] : 0.0f;
}

namespace reference {

void ComputeLaneExtremes(const float* x, size_t count, LaneExtremes& lanes) {
  std::fill(std::begin(lanes.min), std::end(lanes.min), kInfinity);
  std::fill(std::begin(lanes.max), std::end(lanes.max), -kInfinity);
  for (size_t i = 0; i < count; ++i) {
    if (!std::isfinite(x[i])) continue;
    float& min = lanes.min[i % kStatLanes];
    float& max = lanes.max[i % kStatLanes];
    min = std::min(min, x[i]);
    max = std::max(max, x[i]);
  }
}

RunStats ComputeRunStats(const float* x, size_t count, float tail_bound, LaneExtremes* lane_extremes) {
  if (lane_extremes != nullptr) ComputeLaneExtremes(x, count, *lane_extremes);
  RunStats stats{.min = kInfinity, .max = -kInfinity};
  internal::StatLanes lanes;
  for (size_t i = 0; i < count; ++i) {
    lanes.Add(i % kStatLanes, x[i]);
    if ((i + 1) % kStatBlock == 0) lanes.EndBlock();
    stats.zeros += x[i] == 0;
    stats.min = std::min(stats.min, x[i]);
    stats.max = std::max(stats.max, x[i]);
    internal::MarkTail(stats.tail, i, x[i], tail_bound);
  }
  return internal::FinishRunStats(stats, lanes, x, count, tail_bound);
}

}  // namespace reference

}  // namespace preon
