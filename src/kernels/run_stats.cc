#include "kernels/run_stats.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/run_stats.cc"
#include "kernels/highway_targets.h"

#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace preon {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kStatLanes / 2>;
using V = hn::Vec<D>;
constexpr size_t kWidth = hn::MaxLanes(D());
constexpr size_t kVectors = kStatLanes / kWidth;
// The processor's own prefetcher stops at every page; a tensor is mostly found in the outer caches.
constexpr size_t kPrefetchAhead = 1024;
constexpr size_t kCacheLine = 64 / sizeof(float);

// wide[l] += narrow lane l + lane l+16.
HWY_INLINE void AddToWide(const V (&narrow)[kVectors], double* HWY_RESTRICT wide) {
  const D d;
  alignas(64) float folded[kStatLanes / 2];
  HWY_UNROLL(16)
  for (size_t v = 0; v < kVectors / 2; ++v)
    hn::Store(hn::Add(narrow[v], narrow[v + kVectors / 2]), d, folded + v * kWidth);
  const hn::CappedTag<double, kStatLanes / 2> wide_tag;
  const hn::Rebind<float, decltype(wide_tag)> half_tag;
  for (size_t lane = 0; lane < kStatLanes / 2; lane += hn::Lanes(wide_tag)) {
    const auto added = hn::PromoteTo(wide_tag, hn::Load(half_tag, folded + lane));
    hn::Store(hn::Add(hn::Load(wide_tag, wide + lane), added), wide_tag, wide + lane);
  }
}

RunStats ComputeRunStats(const float* HWY_RESTRICT x, size_t count, float tail_bound) {
  const D d;
  const V zero = hn::Zero(d);
  const V bound_square = hn::Set(d, tail_bound * tail_bound);
  V low[2], high[2];
  low[0] = low[1] = hn::Set(d, std::numeric_limits<float>::infinity());
  high[0] = high[1] = hn::Set(d, -std::numeric_limits<float>::infinity());
  internal::StatLanes lanes;
  RunStats stats;

  const size_t vector_count = count / kStatLanes * kStatLanes;
  for (size_t block = 0; block < vector_count; block += kStatBlock) {
    const size_t end = std::min(block + kStatBlock, vector_count);
    V sum[kVectors], sum_squares[kVectors];
    HWY_UNROLL(32)
    for (size_t v = 0; v < kVectors; ++v) sum[v] = sum_squares[v] = zero;
    for (size_t i = block; i < end; i += kStatLanes) {
      for (size_t line = 0; line < kStatLanes; line += kCacheLine) hwy::Prefetch(x + i + kPrefetchAhead + line);
      V largest = zero;
      HWY_UNROLL(32)
      for (size_t v = 0; v < kVectors; ++v) {
        const V value = hn::LoadU(d, x + i + v * kWidth);
        const V square = hn::Mul(value, value);
        sum[v] = hn::Add(sum[v], value);
        sum_squares[v] = hn::Add(sum_squares[v], square);
        low[v % 2] = hn::Min(low[v % 2], value);
        high[v % 2] = hn::Max(high[v % 2], value);
        stats.zeros += hn::CountTrue(d, hn::Eq(value, zero));
        largest = hn::Max(largest, square);
      }
      // No branch: which groups have one can't be foreseen.
      stats.tail[i / kStatLanes / 64] |= uint64_t{!hn::AllFalse(d, hn::Ge(largest, bound_square))} << (i / kStatLanes % 64);
    }
    if (end == block + kStatBlock) {
      AddToWide(sum, lanes.wide_sum);
      AddToWide(sum_squares, lanes.wide_sum_squares);
    } else {
      HWY_UNROLL(32)
      for (size_t v = 0; v < kVectors; ++v) {
        hn::Store(sum[v], d, lanes.sum + v * kWidth);
        hn::Store(sum_squares[v], d, lanes.sum_squares + v * kWidth);
      }
    }
  }
  stats.min = hn::GetLane(hn::MinOfLanes(d, hn::Min(low[0], low[1])));
  stats.max = hn::GetLane(hn::MaxOfLanes(d, hn::Max(high[0], high[1])));

  for (size_t i = vector_count; i < count; ++i) {
    lanes.Add(i % kStatLanes, x[i]);
    stats.zeros += x[i] == 0;
    stats.min = std::min(stats.min, x[i]);
    stats.max = std::max(stats.max, x[i]);
    internal::MarkTail(stats.tail, i, x[i], tail_bound);
  }
  return internal::FinishRunStats(stats, lanes, x, count, tail_bound);
}

}  // namespace HWY_NAMESPACE
}  // namespace preon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace preon {
HWY_EXPORT(ComputeRunStats);
RunStats ComputeRunStats(const float* x, size_t count, float tail_bound) {
  return HWY_DYNAMIC_DISPATCH(ComputeRunStats)(x, count, tail_bound);
}
}  // namespace preon
#endif
