#include "ranges/refine/masked_scores.h"

#include <algorithm>

namespace preon {
namespace {

bool IsMask(const Range& mask, const Range& scores, float floor) {
  return mask.max <= -mask.min / 100 && mask.min + scores.max < floor;
}

}  // namespace

std::optional<Range> RangeWithoutMasked(const Range& sum, const Range& one, const Range& other, float bits) {
  const auto [mask, scores] = one.min < other.min ? std::pair(one, other) : std::pair(other, one);
  const float floor = scores.min - bits;
  if (!IsMask(mask, scores, floor)) return std::nullopt;
  return Range{std::max(sum.min, floor), sum.max};
}

std::optional<Range> RangeOfMask(const Range& mask, const Range& scores, float bits) {
  const float floor = scores.min - bits;
  if (!IsMask(mask, scores, floor)) return std::nullopt;
  return Range{floor - scores.max, mask.max};
}

}  // namespace preon
