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

/// Codes of up to 16 bits: floats hold them, and their distance from the zero point, exactly.
template <typename T>
size_t QuantizeNarrow(const float* HWY_RESTRICT x, size_t count, const IntCodes& codes, T* HWY_RESTRICT out) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const hn::Rebind<T, decltype(df)> dt;
  const auto divisor = hn::Set(df, codes.scale);
  const auto low = hn::Set(df, static_cast<float>(codes.q_min - codes.zero_point));
  const auto high = hn::Set(df, static_cast<float>(codes.q_max - codes.zero_point));
  const auto offset = hn::Set(di, static_cast<int32_t>(codes.zero_point));
  const size_t lanes = hn::Lanes(df);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto quotient = hn::Div(hn::LoadU(df, x + i), divisor);
    // Clamping before rounding gives the same code, since the bounds are integers, and keeps the integer in range.
    const auto clamped = hn::Min(hn::Max(quotient, low), high);
    const auto code = hn::Add(hn::NearestInt(hn::IfThenElse(hn::IsNaN(quotient), low, clamped)), offset);
    hn::StoreU(hn::DemoteTo(dt, code), dt, out + i);
  }
  return i;
}

/// The sign bit: uint32 codes are int32 ones shifted by half of the range, and only int32 converts to and from double.
template <typename T>
constexpr int32_t kFlippedBit = 0;
template <>
constexpr int32_t kFlippedBit<uint32_t> = INT32_MIN;

template <typename T>
size_t QuantizeWide(const float* HWY_RESTRICT x, size_t count, const IntCodes& codes, T* HWY_RESTRICT out) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const hn::Rebind<int32_t, decltype(d)> di;
  const hn::Rebind<T, decltype(d)> dt;
  const auto divisor = hn::Set(df, codes.scale);
  const double shift = kFlippedBit<T>;
  const auto offset = hn::Set(d, static_cast<double>(codes.zero_point));
  const auto low = hn::Set(d, static_cast<double>(codes.q_min)), high = hn::Set(d, static_cast<double>(codes.q_max));
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto sum = hn::Add(hn::PromoteTo(d, hn::Round(hn::Div(hn::LoadU(df, x + i), divisor))), offset);
    const auto code = hn::IfThenElse(hn::IsNaN(sum), low, hn::Min(hn::Max(sum, low), high));
    const auto shifted = hn::DemoteTo(di, hn::Add(code, hn::Set(d, shift)));
    hn::StoreU(hn::BitCast(dt, hn::Xor(shifted, hn::Set(di, kFlippedBit<T>))), dt, out + i);
  }
  return i;
}

template <typename T>
size_t DequantizeNarrow(const T* HWY_RESTRICT x, size_t count, const IntCodes& codes, float* HWY_RESTRICT out) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const hn::Rebind<T, decltype(df)> dt;
  const auto offset = hn::Set(di, static_cast<int32_t>(codes.zero_point));
  const auto scale = hn::Set(df, codes.scale);
  const size_t lanes = hn::Lanes(df);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto steps = hn::Sub(hn::PromoteTo(di, hn::LoadU(dt, x + i)), offset);
    hn::StoreU(hn::Mul(hn::ConvertTo(df, steps), scale), df, out + i);
  }
  return i;
}

template <typename T>
size_t DequantizeWide(const T* HWY_RESTRICT x, size_t count, const IntCodes& codes, float* HWY_RESTRICT out) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const hn::Rebind<int32_t, decltype(d)> di;
  const hn::Rebind<T, decltype(d)> dt;
  const auto offset = hn::Set(d, static_cast<double>(codes.zero_point) + double{kFlippedBit<T>});
  const auto scale = hn::Set(df, codes.scale);
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto shifted = hn::Xor(hn::BitCast(di, hn::LoadU(dt, x + i)), hn::Set(di, kFlippedBit<T>));
    const auto steps = hn::DemoteTo(df, hn::Sub(hn::PromoteTo(d, shifted), offset));
    hn::StoreU(hn::Mul(steps, scale), df, out + i);
  }
  return i;
}

template <typename T>
void QuantizeRun(const float* x, size_t count, const IntCodes& codes, T* out) {
  size_t done;
  if constexpr (sizeof(T) == 4) {
    done = QuantizeWide(x, count, codes, out);
  } else {
    done = QuantizeNarrow(x, count, codes, out);
  }
  reference::QuantizeLinear(x + done, count - done, codes, out + done);
}

template <typename T>
void DequantizeRun(const T* x, size_t count, const IntCodes& codes, float* out) {
  size_t done;
  if constexpr (sizeof(T) == 4) {
    done = DequantizeWide(x, count, codes, out);
  } else {
    done = DequantizeNarrow(x, count, codes, out);
  }
  reference::DequantizeLinear(x + done, count - done, codes, out + done);
}

#define PREON_FUNCTIONS(T, Name)                                                                                  \
  void Quantize##Name(const float* x, size_t n, const IntCodes& codes, T* out) { QuantizeRun(x, n, codes, out); } \
  void Dequantize##Name(const T* x, size_t n, const IntCodes& codes, float* out) { DequantizeRun(x, n, codes, out); }
PREON_FUNCTIONS(int8_t, Int8)
PREON_FUNCTIONS(uint8_t, UInt8)
PREON_FUNCTIONS(int16_t, Int16)
PREON_FUNCTIONS(uint16_t, UInt16)
PREON_FUNCTIONS(int32_t, Int32)
PREON_FUNCTIONS(uint32_t, UInt32)
#undef PREON_FUNCTIONS

}  // namespace HWY_NAMESPACE
}  // namespace preon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace preon {
#define PREON_DISPATCH(T, Name)                                                        \
  HWY_EXPORT(Quantize##Name);                                                          \
  HWY_EXPORT(Dequantize##Name);                                                        \
  template <>                                                                          \
  void QuantizeLinear(const float* x, size_t count, const IntCodes& codes, T* out) {   \
    HWY_DYNAMIC_DISPATCH(Quantize##Name)(x, count, codes, out);                        \
  }                                                                                    \
  template <>                                                                          \
  void DequantizeLinear(const T* x, size_t count, const IntCodes& codes, float* out) { \
    HWY_DYNAMIC_DISPATCH(Dequantize##Name)(x, count, codes, out);                      \
  }
PREON_DISPATCH(int8_t, Int8)
PREON_DISPATCH(uint8_t, UInt8)
PREON_DISPATCH(int16_t, Int16)
PREON_DISPATCH(uint16_t, UInt16)
PREON_DISPATCH(int32_t, Int32)
PREON_DISPATCH(uint32_t, UInt32)
#undef PREON_DISPATCH
}  // namespace preon
#endif
