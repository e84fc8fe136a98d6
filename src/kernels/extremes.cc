#include "kernels/extremes.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/extremes.cc"
#include "kernels/highway_targets.h"

#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace preon {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

HWY_INLINE void Take(V value, V& low, V& high) {
  const D d;
  const V infinity = hn::Set(d, std::numeric_limits<float>::infinity());
  const auto finite = hn::IsFinite(value);
  low = hn::Min(low, hn::IfThenElse(finite, value, infinity));
  high = hn::Max(high, hn::IfThenElse(finite, value, hn::Neg(infinity)));
}

void RunExtremes(const float* HWY_RESTRICT x, size_t count, float* min, float* max) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  if (count < lanes) return reference::RunExtremes(x, count, min, max);
  V low = hn::Set(d, *min);
  V high = hn::Set(d, *max);
  for (size_t i = 0; i + lanes <= count; i += lanes) Take(hn::LoadU(d, x + i), low, high);
  Take(hn::LoadU(d, x + count - lanes), low, high);  // overlaps the last one: harmless for extremes
  *min = hn::GetLane(hn::MinOfLanes(d, low));
  *max = hn::GetLane(hn::MaxOfLanes(d, high));
}

HWY_INLINE void OneVectorOfColumns(const float* HWY_RESTRICT x, size_t rows, size_t columns, float* HWY_RESTRICT min,
                                   float* HWY_RESTRICT max) {
  const D d;
  V low = hn::LoadU(d, min);
  V high = hn::LoadU(d, max);
  for (size_t row = 0; row < rows; ++row) Take(hn::LoadU(d, x + row * columns), low, high);
  hn::StoreU(low, d, min);
  hn::StoreU(high, d, max);
}

void ColumnExtremes(const float* x, size_t rows, size_t columns, float* min, float* max) {
  const size_t lanes = hn::Lanes(D());
  if (columns < lanes) return reference::ColumnExtremes(x, rows, columns, min, max);
  for (size_t column = 0; column + lanes <= columns; column += lanes) {
    OneVectorOfColumns(x + column, rows, columns, min + column, max + column);
  }
  const size_t last = columns - lanes;  // overlaps, as above
  if (columns % lanes != 0) OneVectorOfColumns(x + last, rows, columns, min + last, max + last);
}

}  // namespace HWY_NAMESPACE
}  // namespace preon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace preon {
HWY_EXPORT(RunExtremes);
HWY_EXPORT(ColumnExtremes);

void RunExtremes(const float* x, size_t count, float* min, float* max) {
  HWY_DYNAMIC_DISPATCH(RunExtremes)(x, count, min, max);
}

void ColumnExtremes(const float* x, size_t rows, size_t columns, float* min, float* max) {
  HWY_DYNAMIC_DISPATCH(ColumnExtremes)(x, rows, columns, min, max);
}
}  // namespace preon
#endif
