#include "kernels/channel_units.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/channel_units.cc"
#include "kernels/highway_targets.h"

#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace preon {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void AddUnits(const float* HWY_RESTRICT x, size_t count, double* HWY_RESTRICT sums) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> half;
  const auto largest = hn::Set(d, kLargestInUnits);
  const auto round = hn::Set(d, 0x1.8p52);  // see the reference
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = hn::Clamp(hn::PromoteTo(d, hn::LoadU(half, x + i)), hn::Neg(largest), largest);
    const auto units = hn::Sub(hn::Add(hn::Mul(value, hn::Set(d, kUnitsPerOne)), round), round);
    hn::StoreU(hn::Add(hn::LoadU(d, sums + i), units), d, sums + i);
  }
  reference::AddUnits(x + i, count - i, sums + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace preon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace preon {
HWY_EXPORT(AddUnits);
void AddUnits(const float* x, size_t count, double* sums) { HWY_DYNAMIC_DISPATCH(AddUnits)(x, count, sums); }
}  // namespace preon
#endif
