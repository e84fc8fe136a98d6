#include "ranges/covering_range.h"

#include <cmath>

namespace preon {

Result<Range> CoveringRange(const Range& range, const RangeQuery& query) {
  if (query.scale_type != ScaleType::kPowerOfTwo) return range;
  PREON_ASSIGN_OR_RETURN(const QuantParams wanted, ComputeQuantParams(range, query.format));
  const float rounded = RoundScale(wanted.scale, ScaleType::kPowerOfTwo);
  if (rounded >= wanted.scale) return range;
  const Range doubled = RepresentableRange({2 * rounded, wanted.zero_point}, query.format);
  return std::isfinite(doubled.max - doubled.min) ? doubled : range;
}

}  // namespace preon
