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
#if !HWY_NATIVE_FMA
  return reference::ComputeRunStats(x, count, tail_bound);
#endif
  const D d;
  const V zero = hn::Zero(d);
  const V bound = hn::Set(d, tail_bound);
  const V minus_bound = hn::Neg(bound);
  V low = hn::Set(d, std::numeric_limits<float>::infinity());
  V high = hn::Neg(low);
  internal::StatLanes lanes;
  RunStats stats;

  const size_t vector_count = count / kStatLanes * kStatLanes;
  for (size_t block = 0; block < vector_count; block += kStatBlock) {
    const size_t end = std::min(block + kStatBlock, vector_count);
    V sum[kVectors], sum_squares[kVectors];
    HWY_UNROLL(32)
    for (size_t v = 0; v < kVectors; ++v) sum[v] = sum_squares[v] = zero;
    uint64_t tail = 0;
    for (size_t i = block; i < end; i += kStatLanes) {
      for (size_t line = 0; line < kStatLanes; line += kCacheLine) hwy::Prefetch(x + i + kPrefetchAhead + line);
      V least = hn::LoadU(d, x + i);
      V largest = least;
      HWY_UNROLL(32)
      for (size_t v = 0; v < kVectors; ++v) {
        const V value = hn::LoadU(d, x + i + v * kWidth);
        sum[v] = hn::Add(sum[v], value);
        sum_squares[v] = hn::MulAdd(value, value, sum_squares[v]);
        stats.zeros += hn::CountTrue(d, hn::Eq(value, zero));
        if (v == 0) continue;
        least = hn::Min(least, value);
        largest = hn::Max(largest, value);
      }
      low = hn::Min(low, least);
      high = hn::Max(high, largest);
      // No branch: which groups have one can't be foreseen.
      const bool inside = hn::AllTrue(d, hn::And(hn::Lt(largest, bound), hn::Gt(least, minus_bound)));
      tail |= uint64_t{!inside} << (i / kStatLanes % 64);
    }
    static_assert(64 % (kStatBlock / kStatLanes) == 0);
    stats.tail[block / kStatLanes / 64] |= tail;
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
  stats.min = hn::GetLane(hn::MinOfLanes(d, low));
  stats.max = hn::GetLane(hn::MaxOfLanes(d, high));

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
