#include "kernels/histogram.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/histogram.cc"
#include "kernels/highway_targets.h"

#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace preon {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, kIndexSlack>;
using DI = hn::RebindToSigned<DF>;

// The plain instruction; Highway's ConvertTo spends three more on values beyond int32, which the contract excludes.
HWY_INLINE hn::Vec<DI> TruncateToInt(hn::Vec<DF> v) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return hn::Vec<DI>{_mm512_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
  return hn::Vec<DI>{_mm256_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(DI(), v);
#endif
}

#if HWY_TARGET == HWY_AVX2
// GCC copies the table of Highway's own Compress to the stack for every vector.
struct KeptLanes {
  uint8_t of_mask[256][8] = {};
  constexpr KeptLanes() {
    for (unsigned mask = 0; mask < 256; ++mask) {
      size_t kept = 0;
      for (uint8_t lane = 0; lane < 8; ++lane) {
        if (mask >> lane & 1) of_mask[mask][kept++] = lane;
      }
    }
  }
};
constexpr KeptLanes kKeptLanes;
#endif

// The lanes of `keep` in order, then anything.
template <typename V, typename M>
HWY_INLINE V KeptFirst(V v, M keep) {
#if HWY_TARGET == HWY_AVX2
  const __m256 bits = hn::BitCast(DF(), hn::VecFromMask(hn::DFromV<V>(), keep)).raw;
  const auto mask = static_cast<unsigned>(_mm256_movemask_ps(bits));
  const __m128i lanes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kKeptLanes.of_mask[mask]));
  const __m256i kept = _mm256_permutevar8x32_epi32(hn::BitCast(DI(), v).raw, _mm256_cvtepu8_epi32(lanes));
  return hn::BitCast(hn::DFromV<V>(), hn::Vec<DI>{kept});
#else
  return hn::Compress(v, keep);
#endif
}

// Bin index per lane; sign bit 31 becomes bit 12 = kBinsPerSign.
HWY_INLINE hn::Vec<DI> IndicesOf(hn::Vec<DF> x, hn::Vec<DF> scale) {
  const DI di;
  const auto bits = hn::BitCast(di, x);
  const auto magnitude = hn::BitCast(DF(), hn::And(bits, hn::Set(di, 0x7fffffff)));
  return hn::OrAnd(TruncateToInt(hn::Mul(magnitude, scale)), hn::ShiftRight<19>(bits),
                   hn::Set(di, int32_t{kBinsPerSign}));
}

HWY_INLINE void StoreIndices(hn::Vec<DI> indices, uint16_t* HWY_RESTRICT out) {
  const hn::Rebind<uint16_t, DI> du16;
  hn::StoreU(hn::TruncateTo(du16, hn::BitCast(hn::RebindToUnsigned<DI>(), indices)), du16, out);
}

// Appends the indices of one vector's elements that are not zero.
HWY_INLINE uint16_t* AppendIndices(const float* HWY_RESTRICT x, hn::Vec<DF> scale, uint16_t* HWY_RESTRICT out) {
  const DI di;
  const auto value = hn::LoadU(DF(), x);
  // As integers, so that flush-to-zero can't make a denormal a zero.
  const auto keep = hn::Gt(hn::And(hn::BitCast(di, value), hn::Set(di, 0x7fffffff)), hn::Zero(di));
  const auto index = IndicesOf(value, scale);
  if (hn::AllTrue(di, keep)) {
    StoreIndices(index, out);
    return out + hn::Lanes(di);
  }
  StoreIndices(KeptFirst(index, keep), out);
  return out + hn::CountTrue(di, keep);
}

size_t BinIndices(const float* HWY_RESTRICT x, size_t count, float inv_width, uint16_t* HWY_RESTRICT indices) {
  const auto scale = hn::Set(DF(), inv_width);
  const size_t lanes = hn::Lanes(DF());
  uint16_t* out = indices;
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) out = AppendIndices(x + i, scale, out);
  return static_cast<size_t>(out - indices) + reference::BinIndices(x + i, count - i, inv_width, out);
}

// Writes kBins + the index of each of `values`, and up to kIndexSlack more.
HWY_INLINE uint16_t* AppendTailIndices(const float* HWY_RESTRICT values, size_t count, hn::Vec<DF> scale,
                                       uint16_t* HWY_RESTRICT out) {
  for (size_t i = 0; i < count; i += hn::Lanes(DF())) {
    StoreIndices(hn::Or(IndicesOf(hn::LoadU(DF(), values + i), scale), hn::Set(DI(), int32_t{kBins})), out + i);
  }
  return out + count;
}

size_t TailBinIndices(const float* HWY_RESTRICT x, size_t count, const RunGroups& groups, float inv_width,
                      uint16_t* HWY_RESTRICT indices) {
  const DF df;
  const auto scale = hn::Set(df, inv_width);
  const auto bound = hn::Set(df, kTailBin / inv_width);
  // Few elements of a group are in the tail: they are gathered first.
  constexpr size_t kRoom = 512;
  float kept[kRoom + kStatLanes + kIndexSlack];
  size_t kept_count = 0;
  uint16_t* out = indices;
  for (size_t word = 0; word < groups.size(); ++word) {
    for (uint64_t left = groups[word]; left != 0; left &= left - 1) {
      const size_t group = word * 64 + hwy::Num0BitsBelowLS1Bit_Nonzero64(left);
      const size_t begin = group * kStatLanes;
      if (begin + kStatLanes > count) {
        kept_count += reference::SelectLarge(x + begin, count - begin, kTailBin / inv_width, kept + kept_count);
        continue;
      }
      // No branch for vectors without such an element: mispredictions cost more than the work.
      HWY_UNROLL(8)
      for (size_t i = begin; i < begin + kStatLanes; i += hn::MaxLanes(df)) {
        const auto value = hn::LoadU(df, x + i);
        const auto keep = hn::Ge(hn::Abs(value), bound);
        hn::StoreU(KeptFirst(value, keep), df, kept + kept_count);
        kept_count += hn::CountTrue(df, keep);
      }
      if (kept_count < kRoom) continue;
      out = AppendTailIndices(kept, kept_count, scale, out);
      kept_count = 0;
    }
  }
  return static_cast<size_t>(AppendTailIndices(kept, kept_count, scale, out) - indices);
}

HWY_INLINE uint32_t* AppendFineBins(const float* HWY_RESTRICT x, hn::Vec<DF> scale, uint32_t* HWY_RESTRICT out) {
  const DF df;
  const DI di;
  const hn::RebindToUnsigned<DF> du;
  const auto bits = hn::BitCast(di, hn::LoadU(df, x));
  const auto keep = hn::Gt(hn::And(bits, hn::Set(di, 0x7fffffff)), hn::Zero(di));
  const auto magnitude = hn::BitCast(df, hn::And(bits, hn::Set(di, static_cast<int32_t>(kFineMagnitude))));
  const auto fine = TruncateToInt(hn::Mul(hn::Mul(magnitude, scale), hn::Set(df, float{1 << kFineBits})));
  const auto word = hn::BitCast(du, hn::OrAnd(fine, bits, hn::SignBit(di)));
  hn::StoreU(KeptFirst(word, hn::RebindMask(du, keep)), du, out);
  return out + hn::CountTrue(di, keep);
}

size_t FineBins(const float* HWY_RESTRICT x, size_t count, float inv_width, uint32_t* HWY_RESTRICT words) {
  const auto scale = hn::Set(DF(), inv_width);
  const size_t lanes = hn::Lanes(DF());
  uint32_t* out = words;
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) out = AppendFineBins(x + i, scale, out);
  return static_cast<size_t>(out - words) + reference::FineBins(x + i, count - i, inv_width, out);
}

size_t SelectLarge(const float* HWY_RESTRICT x, size_t count, float min_magnitude, float* HWY_RESTRICT out) {
  const DF d;
  const auto bound = hn::Set(d, min_magnitude);
  const size_t lanes = hn::Lanes(d);
  size_t kept = 0;
  size_t i = 0;
  // No branch for vectors without such an element: where some have one, mispredictions cost more than the work.
  for (; i + lanes <= count; i += lanes) {
    const auto value = hn::LoadU(d, x + i);
    const auto keep = hn::Ge(hn::Abs(value), bound);
    hn::StoreU(KeptFirst(value, keep), d, out + kept);
    kept += hn::CountTrue(d, keep);
  }
  return kept + reference::SelectLarge(x + i, count - i, min_magnitude, out + kept);
}

void FoldCounts(const uint16_t* HWY_RESTRICT a, const uint16_t* HWY_RESTRICT b, size_t count, uint32_t weight,
                uint32_t* HWY_RESTRICT total) {
  const hn::ScalableTag<uint32_t> d;
  const hn::Rebind<uint16_t, decltype(d)> d16;
  const auto factor = hn::Set(d, weight);
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto both = hn::Add(hn::PromoteTo(d, hn::LoadU(d16, a + i)), hn::PromoteTo(d, hn::LoadU(d16, b + i)));
    hn::StoreU(hn::Add(hn::LoadU(d, total + i), hn::Mul(both, factor)), d, total + i);
  }
  reference::FoldCounts(a + i, b + i, count - i, weight, total + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace preon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace preon {
HWY_EXPORT(BinIndices);
HWY_EXPORT(TailBinIndices);
HWY_EXPORT(FineBins);
HWY_EXPORT(SelectLarge);
HWY_EXPORT(FoldCounts);

size_t BinIndices(const float* x, size_t count, float inv_width, uint16_t* indices) {
  return HWY_DYNAMIC_DISPATCH(BinIndices)(x, count, inv_width, indices);
}

size_t TailBinIndices(const float* x, size_t count, const RunGroups& groups, float inv_width, uint16_t* indices) {
  return HWY_DYNAMIC_DISPATCH(TailBinIndices)(x, count, groups, inv_width, indices);
}

size_t FineBins(const float* x, size_t count, float inv_width, uint32_t* words) {
  return HWY_DYNAMIC_DISPATCH(FineBins)(x, count, inv_width, words);
}

size_t SelectLarge(const float* x, size_t count, float min_magnitude, float* out) {
  return HWY_DYNAMIC_DISPATCH(SelectLarge)(x, count, min_magnitude, out);
}

void FoldCounts(const uint16_t* a, const uint16_t* b, size_t count, uint32_t weight, uint32_t* total) {
  HWY_DYNAMIC_DISPATCH(FoldCounts)(a, b, count, weight, total);
}
}  // namespace preon
#endif
