// A lane for each scale: weights come one by one, so that their sums have one order.
#include "kernels/block_scale.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/block_scale.cc"
#include "kernels/highway_targets.h"

#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace preon {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using BlockFloats = hn::ScalableTag<float>;
constexpr size_t kMostBlockLanes = HWY_MAX_BYTES / sizeof(float);
constexpr size_t kMostInverses = 1 + kLargestScaledBlock * kMostScaledCodes;

/// 1 / scale in the bounds: the first, and all where a code moves away from zero. Returns how many.
HWY_INLINE size_t FindChanges(std::span<const float> magnitudes, std::span<const float> rooms,
                              const ScaleBounds& bounds, float* inverses) {
  const BlockFloats d;
  const size_t lanes = hn::Lanes(d);
  const auto coarsest = hn::Set(d, bounds.coarsest), finest = hn::Set(d, bounds.finest);
  inverses[0] = bounds.coarsest;
  size_t count = 1;
  for (size_t i = 0; i < magnitudes.size(); i += lanes) {
    const auto behind = hn::Div(hn::Set(d, internal::kBehindTie), hn::LoadU(d, magnitudes.data() + i));
    const auto room = hn::LoadU(d, rooms.data() + i);
    for (int code = 0; code < kMostScaledCodes; ++code) {
      const auto inverse = hn::Mul(hn::Set(d, static_cast<float>(code) + 0.5f), behind);
      const auto below = hn::And(hn::Le(inverse, finest), hn::Lt(hn::Set(d, static_cast<float>(code)), room));
      if (hn::AllFalse(d, below)) break;
      const auto in_bounds = hn::And(below, hn::Gt(inverse, coarsest));
      hn::StoreU(hn::Compress(inverse, in_bounds), d, inverses + count);  // to memory it is slow on some processors
      count += hn::CountTrue(d, in_bounds);
    }
  }
  return count;
}

/// `magnitudes` and `rooms` are followed by zeros up to a whole vector.
template <bool kWeighted>
HWY_INLINE float BestOfChanges(std::span<const float> magnitudes, std::span<const float> rooms,
                               const ScaleBounds& bounds, const float* importance) {
  const BlockFloats d;
  const size_t lanes = hn::Lanes(d);
  float inverses[kMostInverses + kMostBlockLanes];
  const size_t count = FindChanges(magnitudes, rooms, bounds, inverses);
  std::fill_n(inverses + count, lanes, bounds.coarsest);
  const auto whole = hn::Set(d, 0x1.8p23f);  // numbers near it are whole: adding and subtracting rounds to even
  auto best = hn::Zero(d), scale = hn::Zero(d);
  for (size_t j = 0; j < count; j += lanes) {
    const auto inverse = hn::LoadU(d, inverses + j);
    auto dot = hn::Zero(d), squares = hn::Zero(d);
    for (size_t i = 0; i < magnitudes.size(); ++i) {
      const auto magnitude = hn::Set(d, magnitudes[i]);
      const auto rounded = hn::Sub(hn::Add(hn::Mul(magnitude, inverse), whole), whole);
      const auto code = hn::Min(rounded, hn::Set(d, rooms[i]));
      const auto counted = kWeighted ? hn::Mul(code, hn::Set(d, importance[i])) : code;
      dot = hn::Add(dot, hn::Mul(magnitude, counted));
      squares = hn::Add(squares, hn::Mul(code, counted));
    }
    const auto is_zero = hn::Eq(squares, hn::Zero(d));
    const auto own_scale = hn::IfThenZeroElse(is_zero, hn::Div(dot, squares)), gain = hn::Mul(dot, own_scale);
    const auto better = hn::Or(hn::Gt(gain, best), hn::And(hn::Eq(gain, best), hn::Lt(own_scale, scale)));
    best = hn::IfThenElse(better, gain, best);
    scale = hn::IfThenElse(better, own_scale, scale);
  }
  const auto none = hn::Set(d, hwy::HighestValue<float>());
  return hn::GetLane(hn::MinOfLanes(d, hn::IfThenElse(hn::Eq(best, hn::MaxOfLanes(d, best)), scale, none)));
}

HWY_INLINE float BestOfWhole(std::span<const float> magnitudes, std::span<const float> rooms, const ScaleBounds& bounds,
                             const float* importance) {
  return importance != nullptr ? BestOfChanges<true>(magnitudes, rooms, bounds, importance)
                               : BestOfChanges<false>(magnitudes, rooms, bounds, nullptr);
}

float BestScale(std::span<const float> magnitudes, std::span<const float> rooms, const ScaleBounds& bounds,
                std::span<const float> importance) {
  const size_t lanes = hn::Lanes(BlockFloats());
  const float* counts = importance.empty() ? nullptr : importance.data();
  if (magnitudes.size() % lanes == 0) return BestOfWhole(magnitudes, rooms, bounds, counts);
  float padded[kLargestScaledBlock] = {}, padded_rooms[kLargestScaledBlock] = {};
  std::ranges::copy(magnitudes, padded);
  std::ranges::copy(rooms, padded_rooms);
  float padded_importance[kLargestScaledBlock] = {};
  std::ranges::copy(importance, padded_importance);
  if (counts != nullptr) counts = padded_importance;
  const size_t size = hwy::RoundUpTo(magnitudes.size(), lanes);
  return BestOfWhole({padded, size}, {padded_rooms, size}, bounds, counts);
}

}  // namespace HWY_NAMESPACE
}  // namespace preon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace preon {
HWY_EXPORT(BestScale);
float BestBlockScale(std::span<const float> magnitudes, std::span<const float> rooms, const ScaleBounds& bounds,
                     std::span<const float> importance) {
  return HWY_DYNAMIC_DISPATCH(BestScale)(magnitudes, rooms, bounds, importance);
}
}  // namespace preon
#endif
