// The arithmetic of blocks with a shared exponent, for one vector of values whose blocks' exponents are known.
//
// Everything happens in the bits of the floats. The largest magnitude of a block is that of the integers; its exponent
// bits, plus or minus a constant, are the scale and its reciprocal, both powers of two, so that the products are exact.
// Ties to even come from adding 1.5·2^23 units, which leaves no bits below one unit.
//
// That holds for ordinary blocks: all zero, or a largest magnitude that is finite and so far above the denormals that
// neither the scale nor its reciprocal is one.
//
// Included once per instruction set.
#if defined(PREON_KERNELS_BLOCK_RULES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PREON_KERNELS_BLOCK_RULES_INL_H_
#undef PREON_KERNELS_BLOCK_RULES_INL_H_
#else
#define PREON_KERNELS_BLOCK_RULES_INL_H_
#endif

#include <algorithm>
#include <limits>

#include "kernels/block_grid.h"
#include "kernels/highway_targets.h"

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace preon {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using DI = hn::RebindToSigned<D>;
using V = hn::Vec<D>;
using VI = hn::Vec<DI>;
constexpr size_t kLanes = hn::MaxLanes(D());

// The exponent field of a float, modulo 2^32 as vectors add it.
constexpr int32_t ExponentField(int exponent) { return static_cast<int32_t>(static_cast<uint32_t>(exponent) << 23); }
constexpr int32_t kExponentOne = 1 << 23;  // one step of the exponent in the bits of a float
constexpr int32_t kExponentMask = 0x7F800000, kMagnitudeMask = 0x7FFFFFFF;

HWY_INLINE VI Magnitude(V x) { return hn::And(hn::BitCast(DI(), x), hn::Set(DI(), kMagnitudeMask)); }
HWY_INLINE VI ExponentOf(VI magnitude) { return hn::And(magnitude, hn::Set(DI(), kExponentMask)); }
HWY_INLINE V SignOf(V x) { return hn::And(x, hn::SignBit(D())); }

// Constants are kept as vectors. As numbers the compiler would spread them over a vector again for every vector of
// values, behind the branch to the reference, and that takes the port that the shuffles need.

/// The exponents of ordinary blocks. With a smaller one the scale would be denormal, or denormal values be more than
/// half a step; with a larger one the reciprocal of the scale would be denormal.
class Ordinary {
 public:
  explicit Ordinary(const BlockGrid& grid) {
    const int lowest = 1 + (grid.element ? grid.element->max_exponent() : grid.magnitude_bits + grid.max_shift);
    int highest = grid.element ? 254 : std::min(254, 252 + grid.magnitude_bits);
    if (grid.zero_sign == ZeroSign::kOfScaleQuotient) highest = std::min(highest, 253);
    // The comparison is one of unsigned numbers, which most instruction sets have only for signed ones.
    constexpr int32_t kFlip = std::numeric_limits<int32_t>::min();
    low_ = hn::Set(DI(), lowest * kExponentOne + kFlip);
    span_ = hn::Set(DI(), (highest + 1 - lowest) * kExponentOne + kFlip);
    smallest_ = hn::Set(DI(), lowest * kExponentOne);
  }
  HWY_INLINE bool All(VI largest) const {
    const auto inside = hn::Lt(hn::Sub(largest, low_), span_);
    return hn::AllTrue(DI(), hn::Or(inside, hn::Eq(largest, hn::Zero(DI()))));
  }
  /// Zero blocks take the smallest ordinary exponent; theirs would have no scale.
  HWY_INLINE VI Exponent(VI largest) const { return hn::Max(ExponentOf(largest), smallest_); }

 private:
  VI low_, span_, smallest_;
};

template <Rounding kRounding, ZeroSign kZeroSign>
class FixedRule {
 public:
  static constexpr bool kHasSubBlocks = true;

  explicit FixedRule(const BlockGrid& grid)
      : to_reciprocal_(hn::Set(DI(), ExponentField(ReciprocalBits(grid)))),
        units_per_scale_(hn::Set(D(), PowerOfTwo(grid.magnitude_bits - 1))),
        to_step_(hn::Set(DI(), (grid.magnitude_bits - 1) * kExponentOne)),
        max_shift_(hn::Set(DI(), grid.max_shift * kExponentOne)),
        q_min_(hn::Set(D(), static_cast<float>(grid.q_min))),
        q_max_(hn::Set(D(), static_cast<float>(grid.q_max))),
        magic_(hn::Set(D(), 0x1.8p23f)),
        half_(hn::Set(D(), 0.5f)),
        above_half_(hn::Set(D(), 0x1.000002p-1f)) {}

  /// `exponent`: that of the block, or of the sub-block after its shift.
  HWY_INLINE V operator()(V x, VI exponent) const {
    const D d;
    const V quotient = hn::Mul(x, hn::BitCast(d, hn::Sub(to_reciprocal_, exponent)));
    const V units = kZeroSign == ZeroSign::kOfScaleQuotient ? hn::Mul(quotient, units_per_scale_) : quotient;
    const V step = hn::BitCast(d, hn::Sub(exponent, to_step_));
    if constexpr (kRounding == Rounding::kHalfEven) {
      // Its zeros are +0.
      const V value = hn::Mul(Clamped(hn::Sub(hn::Add(units, magic_), magic_)), step);
      if constexpr (kZeroSign == ZeroSign::kPositive) return value;
      if constexpr (kZeroSign == ZeroSign::kOfValue) return hn::Or(value, SignOf(x));
      return hn::IfThenElse(hn::Eq(quotient, hn::Zero(d)), quotient, value);
    } else {
      const V magnitude = hn::Abs(units), whole = hn::Trunc(magnitude), rest = hn::Sub(magnitude, whole);
      V outwards = half_;
      if constexpr (kRounding == Rounding::kHalfUp) {
        outwards = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), above_half_, outwards);
      }
      const V rounded = hn::Add(whole, hn::IfThenElseZero(hn::Ge(rest, outwards), hn::Set(d, 1.0f)));
      const V value = hn::Mul(Clamped(hn::Or(rounded, SignOf(x))), step);
      return kZeroSign == ZeroSign::kPositive ? hn::Add(value, hn::Zero(d)) : value;
    }
  }
  /// The exponent for a sub-block, of `largest` magnitude, of a block.
  HWY_INLINE VI SubBlockExponent(VI exponent, VI largest) const {
    return hn::Max(ExponentOf(largest), hn::Sub(exponent, max_shift_));
  }

 private:
  /// In exponents: 2^-e, or the reciprocal of the step.
  static int ReciprocalBits(const BlockGrid& grid) {
    return kZeroSign == ZeroSign::kOfScaleQuotient ? 254 : 253 + grid.magnitude_bits;
  }
  HWY_INLINE V Clamped(V units) const { return hn::Min(hn::Max(units, q_min_), q_max_); }

  VI to_reciprocal_;
  V units_per_scale_;
  VI to_step_, max_shift_;
  V q_min_, q_max_, magic_, half_, above_half_;
};

template <ZeroSign kZeroSign>
class FloatRule {
 public:
  static constexpr bool kHasSubBlocks = false;

  explicit FloatRule(const BlockGrid& grid)
      : to_reciprocal_(hn::Set(DI(), ExponentField(254 + grid.element->max_exponent()))),
        to_scale_(hn::Set(DI(), grid.element->max_exponent() * kExponentOne)),
        min_exponent_(hn::Set(DI(), (grid.element->min_exponent() + 127) * kExponentOne)),
        to_magic_(hn::Set(DI(), (23 - grid.element->mantissa_bits) * kExponentOne + kExponentOne / 2)),
        lowest_(hn::Set(D(), -grid.element->largest())),
        largest_(hn::Set(D(), grid.element->largest())) {}

  HWY_INLINE V operator()(V x, VI exponent) const {
    const D d;
    const V units = hn::Mul(x, hn::BitCast(d, hn::Sub(to_reciprocal_, exponent)));
    const V scale = hn::BitCast(d, hn::Sub(exponent, to_scale_));
    // 1.5·2^23 times the last place of an element of this size; denormals share that of the smallest normal one.
    const VI binade = hn::Max(ExponentOf(hn::BitCast(DI(), units)), min_exponent_);
    const V magic = hn::BitCast(d, hn::Add(binade, to_magic_));
    const V rounded = hn::Min(hn::Max(hn::Sub(hn::Add(units, magic), magic), lowest_), largest_);
    const V value = hn::Mul(rounded, scale);  // zeros are +0
    return kZeroSign == ZeroSign::kOfValue ? hn::Or(value, SignOf(x)) : value;
  }

 private:
  VI to_reciprocal_, to_scale_, min_exponent_, to_magic_;
  V lowest_, largest_;
};

#endif  // HWY_TARGET != HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace preon
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
