// Normal results: half of the last place is added to the bits of the float, which carries into the exponent by itself,
// and what is below the last place is cut off. Denormal results: the sum with 1.5·2^23 last places has no bits below
// the last place left; the rounding is that of the addition.
#include "kernels/mini_float.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mini_float.cc"
#include "kernels/highway_targets.h"

#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace preon {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr uint32_t kMagnitudeBits = 0x7FFFFFFF, kInfinityBits = 0x7F800000;

float BeyondLargest(const MiniFloat& format, Overflow overflow) {
  using Limits = std::numeric_limits<float>;
  if (overflow == Overflow::kSaturate || format.specials == MiniFloat::Specials::kNone) return format.largest();
  return format.specials == MiniFloat::Specials::kNan ? Limits::quiet_NaN() : Limits::infinity();
}

class Rounder {
 public:
  Rounder(const MiniFloat& format, Overflow overflow)
      : dropped_bits_(23 - format.mantissa_bits),
        smallest_normal_(PowerOfTwo(format.min_exponent())),
        magic_(1.5f * PowerOfTwo(23 + format.min_exponent() - format.mantissa_bits)),
        largest_(format.largest()),
        beyond_(BeyondLargest(format, overflow)) {}

  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> value) const {
    const hn::RebindToUnsigned<D> du;
    const auto half = hn::Set(du, (1u << (dropped_bits_ - 1)) - 1);  // one more where the last place is odd
    const auto magnitude = hn::Abs(value);
    const auto bits = hn::BitCast(du, magnitude);
    const auto odd = hn::And(hn::ShiftRightSame(bits, dropped_bits_), hn::Set(du, 1u));
    const auto kept = hn::Set(du, ~((1u << dropped_bits_) - 1));
    const auto normal = hn::BitCast(d, hn::And(hn::Add(bits, hn::Add(half, odd)), kept));
    const auto magic = hn::Set(d, magic_);
    const auto denormal = hn::Sub(hn::Add(magnitude, magic), magic);
    auto rounded = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, smallest_normal_)), denormal, normal);
    rounded = hn::IfThenElse(hn::Gt(rounded, hn::Set(d, largest_)), hn::Set(d, beyond_), rounded);
    return hn::IfThenElse(hn::IsNaN(value), value, hn::CopySign(rounded, value));
  }

 private:
  int dropped_bits_;
  float smallest_normal_, magic_, largest_, beyond_;
};

void RoundMini(const MiniFloat& format, Overflow overflow, const float* x, size_t count, float* out) {
  const hn::ScalableTag<float> d;
  const Rounder round(format, overflow);
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(round(d, hn::LoadU(d, x + i)), d, out + i);
  reference::RoundToMiniFloat(format, overflow, x + i, count - i, out + i);
}

void EncodeMini(const MiniFloat& format, Overflow overflow, const float* x, size_t count, uint16_t* codes) {
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<uint16_t, decltype(d)> d16;
  const Rounder round(format, overflow);
  const int dropped_bits = 23 - format.mantissa_bits, code_bits = format.bits();
  const auto ones = (1u << format.exponent_bits) - 1;
  const bool same_exponents = format.bias() == 127;  // and so the same denormals
  const auto rebias = hn::Set(du, static_cast<uint32_t>(127 - format.bias()) << 23);
  const auto smallest_normal = hn::Set(d, same_exponents ? 0 : PowerOfTwo(format.min_exponent()));
  const auto to_denormal = hn::Set(d, same_exponents ? 0 : PowerOfTwo(format.mantissa_bits - format.min_exponent()));
  const bool has_infinity = format.specials == MiniFloat::Specials::kInfAndNan;
  const auto infinity = hn::Set(du, has_infinity ? ones << format.mantissa_bits : 0);
  const auto nan = hn::Set(du, reference::MiniFloatCode(format, overflow, std::numeric_limits<float>::quiet_NaN()));
  const bool has_nan = format.specials != MiniFloat::Specials::kNone;
  const auto sign_kept = hn::Set(du, has_nan ? ~0u : 0u);
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = round(d, hn::LoadU(d, x + i));
    const auto bits = hn::BitCast(du, value), magnitude = hn::And(bits, hn::Set(du, kMagnitudeBits));
    const auto is_nan = hn::RebindMask(du, hn::IsNaN(value));
    const auto normal = hn::ShiftRightSame(hn::Sub(magnitude, rebias), dropped_bits);
    const auto absolute = hn::BitCast(d, magnitude);
    const auto denormal = hn::BitCast(du, hn::ConvertTo(di, hn::Mul(absolute, to_denormal)));
    const auto is_denormal = hn::RebindMask(du, hn::Lt(absolute, smallest_normal));
    auto code = hn::IfThenElse(is_denormal, denormal, normal);
    code = hn::IfThenElse(hn::Eq(magnitude, hn::Set(du, kInfinityBits)), infinity, code);
    code = hn::IfThenElse(is_nan, nan, code);
    auto sign = hn::ShiftLeftSame(hn::ShiftRight<31>(bits), code_bits - 1);
    sign = hn::IfThenElse(is_nan, hn::And(sign, sign_kept), sign);
    hn::StoreU(hn::DemoteTo(d16, hn::BitCast(di, hn::Or(code, sign))), d16, codes + i);
  }
  reference::EncodeMiniFloat(format, overflow, x + i, count - i, codes + i);
}

void DecodeMini(const MiniFloat& format, const uint16_t* codes, size_t count, float* out) {
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<uint16_t, decltype(d)> d16;
  const int dropped_bits = 23 - format.mantissa_bits, code_bits = format.bits();
  const uint32_t ones = (1u << format.exponent_bits) - 1, all_ones = (1u << (code_bits - 1)) - 1;
  const bool same_exponents = format.bias() == 127;
  const auto rebias = hn::Set(du, static_cast<uint32_t>(127 - format.bias()) << 23);
  const auto first_normal = hn::Set(di, same_exponents ? 0 : 1 << format.mantissa_bits);
  const auto last_place = hn::Set(d, same_exponents ? 0 : PowerOfTwo(format.min_exponent() - format.mantissa_bits));
  // From here on codes are infinite or NaN; beyond all codes where there are none.
  uint32_t first_special = all_ones + 1;
  if (format.specials == MiniFloat::Specials::kNan) first_special = all_ones;
  if (format.specials == MiniFloat::Specials::kInfAndNan) first_special = ones << format.mantissa_bits;
  const auto last_finite = hn::Set(di, static_cast<int32_t>(first_special) - 1);
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto code = hn::BitCast(di, hn::PromoteTo(du, hn::LoadU(d16, codes + i)));
    const auto magnitude = hn::And(code, hn::Set(di, static_cast<int32_t>(all_ones)));
    const auto shifted = hn::ShiftLeftSame(hn::BitCast(du, magnitude), dropped_bits);
    const auto normal = hn::BitCast(d, hn::Add(shifted, rebias));
    const auto denormal = hn::Mul(hn::ConvertTo(d, magnitude), last_place);
    auto value = hn::IfThenElse(hn::RebindMask(d, hn::Lt(magnitude, first_normal)), denormal, normal);
    const auto special = hn::BitCast(d, hn::Or(shifted, hn::Set(du, kInfinityBits)));
    value = hn::IfThenElse(hn::RebindMask(d, hn::Gt(magnitude, last_finite)), special, value);
    const auto sign = hn::ShiftLeftSame(hn::BitCast(du, hn::Sub(code, magnitude)), 32 - code_bits);
    hn::StoreU(hn::Or(value, hn::BitCast(d, sign)), d, out + i);
  }
  reference::DecodeMiniFloat(format, codes + i, count - i, out + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace preon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace preon {
HWY_EXPORT(RoundMini);
HWY_EXPORT(EncodeMini);
HWY_EXPORT(DecodeMini);

void RoundToMiniFloat(const MiniFloat& format, Overflow overflow, const float* x, size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(RoundMini)(format, overflow, x, count, out);
}
void EncodeMiniFloat(const MiniFloat& format, Overflow overflow, const float* x, size_t count, uint16_t* codes) {
  HWY_DYNAMIC_DISPATCH(EncodeMini)(format, overflow, x, count, codes);
}
void DecodeMiniFloat(const MiniFloat& format, const uint16_t* codes, size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(DecodeMini)(format, codes, count, out);
}
}  // namespace preon
#endif
