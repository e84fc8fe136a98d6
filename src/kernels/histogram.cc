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

size_t BinIndices(const float* HWY_RESTRICT x, size_t count, float inv_width, float min_magnitude,
                  uint16_t* HWY_RESTRICT indices) {
  const DF df;
  const DI di;
  const hn::RebindToUnsigned<DF> du;
  const hn::Rebind<uint16_t, DF> du16;
  const auto scale = hn::Set(df, inv_width);
  // As integers, so that flush-to-zero can't make a denormal a zero. (For floats >= 0 the order is the same.)
  const auto bound = hn::BitCast(di, hn::Set(df, min_magnitude));
  const auto magnitude_mask = hn::Set(di, 0x7fffffff);
  const auto negative_offset = hn::Set(di, int32_t{kBinsPerSign});

  uint16_t* out = indices;
  const size_t lanes = hn::Lanes(df);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto bits = hn::BitCast(di, hn::LoadU(df, x + i));
    const auto magnitude = hn::And(bits, magnitude_mask);
    const auto keep = hn::Not(hn::Lt(magnitude, bound));
    if (hn::AllFalse(di, keep)) continue;
    const auto bin = TruncateToInt(hn::Mul(hn::BitCast(df, magnitude), scale));
    // Sign bit 31 becomes bit 12 = kBinsPerSign.
    const auto index = hn::OrAnd(bin, hn::ShiftRight<19>(bits), negative_offset);
    if (hn::AllTrue(di, keep)) {
      hn::StoreU(hn::TruncateTo(du16, hn::BitCast(du, index)), du16, out);
      out += lanes;
    } else {
      hn::StoreU(hn::TruncateTo(du16, hn::BitCast(du, hn::Compress(index, keep))), du16, out);
      out += hn::CountTrue(di, keep);
    }
  }
  return static_cast<size_t>(out - indices) + reference::BinIndices(x + i, count - i, inv_width, min_magnitude, out);
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
HWY_EXPORT(FoldCounts);

size_t BinIndices(const float* x, size_t count, float inv_width, float min_magnitude, uint16_t* indices) {
  return HWY_DYNAMIC_DISPATCH(BinIndices)(x, count, inv_width, min_magnitude, indices);
}

void FoldCounts(const uint16_t* a, const uint16_t* b, size_t count, uint32_t weight, uint32_t* total) {
  HWY_DYNAMIC_DISPATCH(FoldCounts)(a, b, count, weight, total);
}
}  // namespace preon
#endif
