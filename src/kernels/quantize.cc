#include "kernels/quantize.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quantize.cc"
#include "kernels/highway_targets.h"

#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace preon {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
void QuantizeRun(const float* HWY_RESTRICT x, size_t count, float scale, int32_t zero_point, int32_t q_min,
                 int32_t q_max, T* HWY_RESTRICT out) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const hn::Rebind<T, decltype(df)> dt;
  const auto divisor = hn::Set(df, scale);
  const auto low = hn::Set(df, static_cast<float>(q_min - zero_point));
  const auto high = hn::Set(df, static_cast<float>(q_max - zero_point));
  const auto offset = hn::Set(di, zero_point);
  const size_t lanes = hn::Lanes(df);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto quotient = hn::Div(hn::LoadU(df, x + i), divisor);
    const auto clamped = hn::Min(hn::Max(quotient, low), high);
    const auto code = hn::Add(hn::NearestInt(hn::IfThenZeroElse(hn::IsNaN(quotient), clamped)), offset);
    hn::StoreU(hn::DemoteTo(dt, code), dt, out + i);
  }
  reference::QuantizeLinear(x + i, count - i, scale, zero_point, q_min, q_max, out + i);
}

void QuantizeInt8(const float* x, size_t n, float scale, int32_t zero_point, int32_t q_min, int32_t q_max,
                  int8_t* out) {
  QuantizeRun(x, n, scale, zero_point, q_min, q_max, out);
}
void QuantizeUInt8(const float* x, size_t n, float scale, int32_t zero_point, int32_t q_min, int32_t q_max,
                   uint8_t* out) {
  QuantizeRun(x, n, scale, zero_point, q_min, q_max, out);
}
void QuantizeInt16(const float* x, size_t n, float scale, int32_t zero_point, int32_t q_min, int32_t q_max,
                   int16_t* out) {
  QuantizeRun(x, n, scale, zero_point, q_min, q_max, out);
}
void QuantizeUInt16(const float* x, size_t n, float scale, int32_t zero_point, int32_t q_min, int32_t q_max,
                    uint16_t* out) {
  QuantizeRun(x, n, scale, zero_point, q_min, q_max, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace preon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace preon {
HWY_EXPORT(QuantizeInt8);
HWY_EXPORT(QuantizeUInt8);
HWY_EXPORT(QuantizeInt16);
HWY_EXPORT(QuantizeUInt16);

template <>
void QuantizeLinear(const float* x, size_t count, float scale, int32_t zero_point, int32_t q_min, int32_t q_max,
                    int8_t* out) {
  HWY_DYNAMIC_DISPATCH(QuantizeInt8)(x, count, scale, zero_point, q_min, q_max, out);
}
template <>
void QuantizeLinear(const float* x, size_t count, float scale, int32_t zero_point, int32_t q_min, int32_t q_max,
                    uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(QuantizeUInt8)(x, count, scale, zero_point, q_min, q_max, out);
}
template <>
void QuantizeLinear(const float* x, size_t count, float scale, int32_t zero_point, int32_t q_min, int32_t q_max,
                    int16_t* out) {
  HWY_DYNAMIC_DISPATCH(QuantizeInt16)(x, count, scale, zero_point, q_min, q_max, out);
}
template <>
void QuantizeLinear(const float* x, size_t count, float scale, int32_t zero_point, int32_t q_min, int32_t q_max,
                    uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(QuantizeUInt16)(x, count, scale, zero_point, q_min, q_max, out);
}
}  // namespace preon
#endif
