#include "kernels/add.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/add.cc"
#include "kernels/highway_targets.h"

#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace preon {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void AddFloats(const float* a, const float* b, size_t count, float* sum) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, sum + i);
  reference::AddFloats(a + i, b + i, count - i, sum + i);  // an overlapping vector would add twice in place
}

}  // namespace HWY_NAMESPACE
}  // namespace preon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace preon {
HWY_EXPORT(AddFloats);

void AddFloats(const float* a, const float* b, size_t count, float* sum) {
  HWY_DYNAMIC_DISPATCH(AddFloats)(a, b, count, sum);
}
}  // namespace preon
#endif
