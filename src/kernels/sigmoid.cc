#include "kernels/sigmoid.h"

#include <iterator>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sigmoid.cc"
#include "kernels/highway_targets.h"

#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace preon {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace internal;  // NOLINT(google-build-using-namespace): the constants of the same formula

void Sigmoids(const float* x, size_t count, float* out) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const size_t lanes = hn::Lanes(d);
  const auto largest = hn::Set(d, kLargestExponent), one = hn::Set(d, 1), round = hn::Set(d, kRoundToWhole);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto exponent = hn::Clamp(hn::Neg(hn::LoadU(d, x + i)), hn::Neg(largest), largest);
    const auto octaves = hn::Sub(hn::Add(hn::Mul(exponent, hn::Set(d, kLog2E)), round), round);
    const auto rest =
        hn::Sub(hn::Sub(exponent, hn::Mul(octaves, hn::Set(d, kLn2High))), hn::Mul(octaves, hn::Set(d, kLn2Low)));
    auto power = hn::Set(d, kExpPolynomial[0]);
    for (size_t term = 1; term < std::size(kExpPolynomial); ++term)
      power = hn::Add(hn::Mul(power, rest), hn::Set(d, kExpPolynomial[term]));
    power = hn::Add(hn::Add(hn::Mul(hn::Mul(power, rest), rest), rest), one);
    const auto scale =
        hn::BitCast(d, hn::ShiftLeft<kFloatMantissaBits>(hn::Add(hn::ConvertTo(di, octaves), hn::Set(di, kFloatBias))));
    hn::StoreU(hn::Div(one, hn::Add(one, hn::Mul(power, scale))), d, out + i);
  }
  reference::Sigmoids(x + i, count - i, out + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace preon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace preon {
HWY_EXPORT(Sigmoids);
void Sigmoids(const float* x, size_t count, float* out) { HWY_DYNAMIC_DISPATCH(Sigmoids)(x, count, out); }
}  // namespace preon
#endif
