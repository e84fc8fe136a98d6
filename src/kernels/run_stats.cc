#include "kernels/run_stats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

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
// The processor's own prefetcher stops at every page and takes a few lines to start again; a tensor is mostly found in
// the outer caches. A block is a page long.
constexpr size_t kCacheLine = 64 / sizeof(float);
constexpr size_t kPrefetched = 8 * kCacheLine;

using DU = hn::RebindToUnsigned<D>;
using DI = hn::RebindToSigned<D>;

// max(|a|, |b|) per lane. NaN may be lost: runs with NaN are done over.
HWY_INLINE V LargerMagnitude(V a, V b) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return V{_mm512_range_ps(a.raw, b.raw, 0b1011)};
#else
  return hn::Max(hn::Abs(a), hn::Abs(b));
#endif
}

// Extremes of floats per lane, taken of their bits: as unsigned numbers the greatest is the least float, unless none is
// negative; as signed ones it is the largest, unless all are. Integers have more units than floats, whose minimum waits
// behind the sums.
struct BitExtremes {
  hn::Vec<DU> as_unsigned;
  hn::Vec<DI> as_signed;

  HWY_INLINE explicit BitExtremes(V value)
      : as_unsigned(hn::BitCast(DU(), value)), as_signed(hn::BitCast(DI(), value)) {}

  HWY_INLINE void Add(const BitExtremes& other) {
    as_unsigned = hn::Max(as_unsigned, other.as_unsigned);
    as_signed = hn::Max(as_signed, other.as_signed);
  }

  // Each of the two is the farthest from zero of its sign.
  HWY_INLINE V LargestMagnitude() const {
    return LargerMagnitude(hn::BitCast(D(), as_unsigned), hn::BitCast(D(), as_signed));
  }
};

void CompareAll(const float* HWY_RESTRICT x, size_t count, RunStats& stats) {
  const D d;
  V low = hn::LoadU(d, x), high = low;
  for (size_t i = kWidth; i < count; i += kWidth) {
    const V value = hn::LoadU(d, x + i);
    low = hn::Min(low, value);
    high = hn::Max(high, value);
  }
  stats.min = hn::GetLane(hn::MinOfLanes(d, low));
  stats.max = hn::GetLane(hn::MaxOfLanes(d, high));
}

// Sets min and max of x[0 … count), whose zeros are counted already.
void SetExtremes(const BitExtremes& extremes, const float* HWY_RESTRICT x, size_t count, RunStats& stats) {
  constexpr uint32_t kMinusZero = 0x80000000;
  const uint32_t as_unsigned = hn::GetLane(hn::MaxOfLanes(DU(), extremes.as_unsigned));
  const int32_t as_signed = hn::GetLane(hn::MaxOfLanes(DI(), extremes.as_signed));
  const bool has_negative = as_unsigned > kMinusZero, has_positive = as_signed > 0;
  if (stats.zeros == 0 && has_negative != has_positive) return CompareAll(x, count, stats);
  stats.min = has_negative ? std::bit_cast<float>(as_unsigned) : 0;
  stats.max = has_positive ? std::bit_cast<float>(as_signed) : 0;
}

// Comparisons of a run, stored as bits: storing takes no arithmetic unit, counting at once takes as much as a sum. They
// are read a block later, because a load can't take what several stores nearby have yet to write.
class RunMasks {
 public:
  HWY_INLINE void SetZeros(size_t element, hn::Mask<D> zeros) {
    hn::StoreMaskBits(D(), zeros, zeros_ + element / kWidth * sizeof(Word));
  }
  HWY_INLINE void SetTail(size_t element, hn::Mask<D> tail) {
    hn::StoreMaskBits(D(), tail, reinterpret_cast<uint8_t*>(tail_ + element / kStatLanes));
  }

  /// For a block that is not filled.
  void ClearBlock(size_t begin) {
    std::memset(zeros_ + begin / kWidth * sizeof(Word), 0, kBlockBytes);
    std::memset(tail_ + begin / kStatLanes, 0, kStatBlock / kStatLanes * sizeof(Word));
  }
  /// Adds the elements [begin, begin + kStatBlock) to the statistics.
  HWY_INLINE void AddBlock(size_t begin, RunStats& stats) const {
    for (size_t byte = 0; byte < kBlockBytes; byte += sizeof(uint64_t)) {
      uint64_t bits;
      std::memcpy(&bits, zeros_ + begin / kWidth * sizeof(Word) + byte, sizeof(bits));
      stats.zeros += hwy::PopCount(bits);
    }
    const hn::CappedTag<Word, kStatBlock / kStatLanes> d;
    for (size_t group = begin / kStatLanes; group < (begin + kStatBlock) / kStatLanes; group += hn::Lanes(d)) {
      uint64_t some = 0;
      hn::StoreMaskBits(d, hn::Ne(hn::Load(d, tail_ + group), hn::Zero(d)), reinterpret_cast<uint8_t*>(&some));
      stats.tail[group / 64] |= some << (group % 64);
    }
  }

 private:
  using Word = std::conditional_t<(kWidth > 8), uint16_t, uint8_t>;
  static constexpr size_t kBlockBytes = kStatBlock / kWidth * sizeof(Word);
  static_assert(kMaxRun % kStatBlock == 0 && kBlockBytes % sizeof(uint64_t) == 0);
  alignas(64) Word tail_[kMaxRun / kStatLanes];
  alignas(64) uint8_t zeros_[kMaxRun / kStatBlock * kBlockBytes];
};

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

// Extremes of all elements, or of each lane and hence of all.
template <bool kOfLanes>
RunStats StatsOfRun(const float* HWY_RESTRICT x, size_t count, float tail_bound,
                    LaneExtremes* HWY_RESTRICT lane_extremes) {
  const D d;
  const V zero = hn::Zero(d);
  const V bound = hn::Set(d, tail_bound);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  internal::StatLanes lanes;
  RunMasks masks;
  RunStats stats{.min = kInfinity, .max = -kInfinity};

  const size_t vector_count = count / kStatLanes * kStatLanes;
  BitExtremes extremes(vector_count > 0 ? hn::LoadU(d, x) : zero);
  V low[kVectors], high[kVectors];
  HWY_UNROLL(32)
  for (size_t v = 0; v < kVectors; ++v) {
    low[v] = hn::Set(d, kInfinity);
    high[v] = hn::Set(d, -kInfinity);
  }
  for (size_t block = 0; block < vector_count; block += kStatBlock) {
    const size_t end = std::min(block + kStatBlock, vector_count);
    if (end < block + kStatBlock) masks.ClearBlock(block);
    for (size_t line = 0; line < kPrefetched; line += kCacheLine) hwy::Prefetch(x + block + kStatBlock + line);
    V sum[kVectors], sum_squares[kVectors];
    HWY_UNROLL(32)
    for (size_t v = 0; v < kVectors; ++v) sum[v] = sum_squares[v] = zero;
    for (size_t i = block; i < end; i += kStatLanes) {
      V largest = hn::LoadU(d, x + i);
      BitExtremes of_group(largest);
      HWY_UNROLL(32)
      for (size_t v = 0; v < kVectors; ++v) {
        const V value = hn::LoadU(d, x + i + v * kWidth);
        sum[v] = hn::Add(sum[v], value);
        sum_squares[v] = hn::MulAdd(value, value, sum_squares[v]);
        masks.SetZeros(i + v * kWidth, hn::Eq(value, zero));
        if constexpr (kOfLanes) {
          low[v] = hn::Min(low[v], value);
          high[v] = hn::Max(high[v], value);
          if (v > 0) largest = LargerMagnitude(largest, value);
        } else if (v > 0) {
          of_group.Add(BitExtremes(value));
        }
      }
      if constexpr (!kOfLanes) {
        extremes.Add(of_group);
        largest = of_group.LargestMagnitude();
      }
      masks.SetTail(i, hn::Ge(largest, bound));
    }
    if (block > 0) masks.AddBlock(block - kStatBlock, stats);
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
  if (vector_count > 0) {
    masks.AddBlock((vector_count - 1) / kStatBlock * kStatBlock, stats);
    if constexpr (!kOfLanes) SetExtremes(extremes, x, vector_count, stats);
  }

  for (size_t i = vector_count; i < count; ++i) {
    lanes.Add(i % kStatLanes, x[i]);
    stats.zeros += x[i] == 0;
    stats.min = std::min(stats.min, x[i]);
    stats.max = std::max(stats.max, x[i]);
    internal::MarkTail(stats.tail, i, x[i], tail_bound);
  }
  if constexpr (kOfLanes) {
    HWY_UNROLL(32)
    for (size_t v = 0; v < kVectors; ++v) {
      hn::Store(low[v], d, lane_extremes->min + v * kWidth);
      hn::Store(high[v], d, lane_extremes->max + v * kWidth);
    }
    for (size_t i = vector_count; i < count; ++i) {
      float& min = lane_extremes->min[i % kStatLanes];
      float& max = lane_extremes->max[i % kStatLanes];
      min = std::min(min, x[i]);
      max = std::max(max, x[i]);
    }
    stats.min = *std::min_element(lane_extremes->min, lane_extremes->min + kStatLanes);
    stats.max = *std::max_element(lane_extremes->max, lane_extremes->max + kStatLanes);
  }
  return internal::FinishRunStats(stats, lanes, x, count, tail_bound);
}

RunStats ComputeRunStats(const float* x, size_t count, float tail_bound, LaneExtremes* lanes) {
#if !HWY_NATIVE_FMA
  return reference::ComputeRunStats(x, count, tail_bound, lanes);
#endif
  if (lanes == nullptr) return StatsOfRun<false>(x, count, tail_bound, nullptr);
  const RunStats stats = StatsOfRun<true>(x, count, tail_bound, lanes);
  if (stats.nans + stats.infs > 0) reference::ComputeLaneExtremes(x, count, *lanes);
  return stats;
}

}  // namespace HWY_NAMESPACE
}  // namespace preon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace preon {
HWY_EXPORT(ComputeRunStats);
RunStats ComputeRunStats(const float* x, size_t count, float tail_bound, LaneExtremes* lanes) {
  return HWY_DYNAMIC_DISPATCH(ComputeRunStats)(x, count, tail_bound, lanes);
}
}  // namespace preon
#endif
