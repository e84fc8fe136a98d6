#include "kernels/extremes.h"

#include <algorithm>

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

// Independent vectors hide how long a minimum takes.
constexpr size_t kAtOnce = 4;

// Minimum and maximum of vectors. Not finite ones are noticed at the end, by a sum of zeros that they spoil.
class Extremes {
 public:
  Extremes(V low, V high) {
    HWY_UNROLL(4)
    for (size_t k = 0; k < kAtOnce; ++k) {
      low_[k] = low;
      high_[k] = high;
      zeros_[k] = hn::Zero(D());
    }
  }
  HWY_INLINE void Take(size_t k, V value) {
    low_[k] = hn::Min(low_[k], value);
    high_[k] = hn::Max(high_[k], value);
    zeros_[k] = hn::MulAdd(value, hn::Zero(D()), zeros_[k]);
  }
  HWY_INLINE V low() const { return hn::Min(hn::Min(low_[0], low_[1]), hn::Min(low_[2], low_[3])); }
  HWY_INLINE V high() const { return hn::Max(hn::Max(high_[0], high_[1]), hn::Max(high_[2], high_[3])); }
  HWY_INLINE bool AllFinite() const {
    const V zeros = hn::Add(hn::Add(zeros_[0], zeros_[1]), hn::Add(zeros_[2], zeros_[3]));
    return hn::AllTrue(D(), hn::Eq(zeros, hn::Zero(D())));
  }

 private:
  V low_[kAtOnce], high_[kAtOnce], zeros_[kAtOnce];
};

// The extremes of `count` vectors, one every `step` floats.
HWY_INLINE Extremes ExtremesOf(const float* HWY_RESTRICT x, size_t count, size_t step, V low, V high) {
  Extremes extremes(low, high);
  size_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce) {
    HWY_UNROLL(4)
    for (size_t k = 0; k < kAtOnce; ++k) extremes.Take(k, hn::LoadU(D(), x + (i + k) * step));
  }
  for (; i < count; ++i) extremes.Take(0, hn::LoadU(D(), x + i * step));
  return extremes;
}

void RunExtremes(const float* HWY_RESTRICT x, size_t count, float* min, float* max) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  if (count < lanes) return reference::RunExtremes(x, count, min, max);
  Extremes extremes = ExtremesOf(x, count / lanes, lanes, hn::Set(d, *min), hn::Set(d, *max));
  extremes.Take(0, hn::LoadU(d, x + count - lanes));  // overlaps the last one: harmless for extremes
  if (!extremes.AllFinite()) return reference::RunExtremes(x, count, min, max);
  *min = hn::GetLane(hn::MinOfLanes(d, extremes.low()));
  *max = hn::GetLane(hn::MaxOfLanes(d, extremes.high()));
}

void ColumnExtremes(const float* x, size_t rows, size_t columns, float* min, float* max) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  if (columns < lanes) return reference::ColumnExtremes(x, rows, columns, min, max);
  for (size_t begin = 0; begin < columns; begin += lanes) {
    const size_t column = std::min(begin, columns - lanes);  // the last overlaps, as above
    const Extremes extremes =
        ExtremesOf(x + column, rows, columns, hn::LoadU(d, min + column), hn::LoadU(d, max + column));
    if (!extremes.AllFinite()) return reference::ColumnExtremes(x, rows, columns, min, max);
    hn::StoreU(extremes.low(), d, min + column);
    hn::StoreU(extremes.high(), d, max + column);
  }
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
