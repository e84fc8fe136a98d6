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

// Appends the indices of one vector's elements that are not zero.
HWY_INLINE uint16_t* AppendIndices(const float* HWY_RESTRICT x, hn::Vec<DF> scale, uint16_t* HWY_RESTRICT out) {
  const DF df;
  const DI di;
  const hn::RebindToUnsigned<DF> du;
  const hn::Rebind<uint16_t, DF> du16;
  const auto bits = hn::BitCast(di, hn::LoadU(df, x));
  const auto magnitude = hn::And(bits, hn::Set(di, 0x7fffffff));
  // As integers, so that flush-to-zero can't make a denormal a zero.
  const auto keep = hn::Gt(magnitude, hn::Zero(di));
  const auto bin = TruncateToInt(hn::Mul(hn::BitCast(df, magnitude), scale));
  // Sign bit 31 becomes bit 12 = kBinsPerSign.
  const auto index = hn::OrAnd(bin, hn::ShiftRight<19>(bits), hn::Set(di, int32_t{kBinsPerSign}));
  if (hn::AllTrue(di, keep)) {
    hn::StoreU(hn::TruncateTo(du16, hn::BitCast(du, index)), du16, out);
    return out + hn::Lanes(df);
  }
  hn::StoreU(hn::TruncateTo(du16, hn::BitCast(du, hn::Compress(index, keep))), du16, out);
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
    hn::StoreU(hn::Compress(value, keep), d, out + kept);
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
HWY_EXPORT(SelectLarge);
HWY_EXPORT(FoldCounts);

size_t BinIndices(const float* x, size_t count, float inv_width, uint16_t* indices) {
  return HWY_DYNAMIC_DISPATCH(BinIndices)(x, count, inv_width, indices);
}

size_t SelectLarge(const float* x, size_t count, float min_magnitude, float* out) {
  return HWY_DYNAMIC_DISPATCH(SelectLarge)(x, count, min_magnitude, out);
}

void FoldCounts(const uint16_t* a, const uint16_t* b, size_t count, uint32_t weight, uint32_t* total) {
  HWY_DYNAMIC_DISPATCH(FoldCounts)(a, b, count, weight, total);
}
}  // namespace preon
#endif
